import { describeAdapter } from '../contract.ts'
import { makeMemoryMailbox } from './contract-mailbox.ts'

describeAdapter('memory', makeMemoryMailbox)
