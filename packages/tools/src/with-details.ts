import { Fault, type FaultDetails } from '@postern/core'

/** The same fault with further details; those win over its own. */
export function withDetails(fault: Fault, further: FaultDetails): Fault {
  const { code, public: text, internal, details, retryAfterSeconds } = fault
  return new Fault(code, {
    public: text,
    details: { ...details, ...further },
    ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }),
    ...(internal === null ? {} : { internal }),
    cause: fault,
  })
}
