import { Fault } from '@postern/core'

/** One wording for operations that are unknown, another caller's, or forgotten. */
export function operationNotFound(): Fault {
  return new Fault('operation_not_found', {
    public:
      'There is no such operation of this key in the last 30 days. operation_id stands in the answer of the write that it is of.',
  })
}
