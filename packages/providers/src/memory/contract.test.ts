import { describeAdapter, describeSubmission } from '../contract.ts'
import { makeMemoryMailbox } from './contract-mailbox.ts'

describeAdapter('memory', makeMemoryMailbox)
describeSubmission('memory', makeMemoryMailbox)
