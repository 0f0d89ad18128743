import { Fault } from '@postern/core'
import type { WriteCall } from '@postern/mail'
import { attempt } from '../attempt.ts'
import { refused } from './faults.ts'
import type { ImapConnection, RunOptions } from './pool.ts'
import type { Answer, Argument } from './wire.ts'

export interface WriteOptions extends RunOptions {
  /** What a tagged NO or BAD means; left out, what it means of messages. */
  readonly toRefusal?: (answer: Answer, command: string) => Fault
}

/** How a change failed: refused, which left everything as it was, or lost on the way, of which nobody knows. */
export interface WriteFailure {
  readonly status: 'failed' | 'unknown'
  readonly fault: Fault
}

/**
 * The one way in which a command that changes a mailbox goes out. A tagged NO or BAD is a refusal; an end of the
 * connection before the command left is a failure, and from its first octet on it is `unknown`.
 * @throws what `call.enter` throws: then nothing was sent.
 */
export async function execWrite(
  connection: ImapConnection,
  { command, args }: { readonly command: string; readonly args: readonly Argument[] },
  call: WriteCall,
  { toRefusal = refused, ...options }: WriteOptions = {},
): Promise<Answer | WriteFailure> {
  await call.enter('change')
  let isSent = false
  const onSend = (): void => {
    isSent = true
  }
  const answer = await attempt(
    () => connection.run(command, args, { ...options, isPatient: true, onSend }),
    { ...call, signal: new AbortController().signal },
    () => true,
  )
  if (answer instanceof Fault)
    return { status: isSent ? 'unknown' : 'failed', fault: isSent ? lost(answer) : answer }
  return answer.status === 'OK' ? answer : { status: 'failed', fault: toRefusal(answer, command) }
}

export function isFailure(answer: Answer | WriteFailure): answer is WriteFailure {
  return 'fault' in answer
}

/** The texts of a lost connection say that nothing was changed; here that is just what is not known. */
export function lost(cause: Fault): Fault {
  return new Fault(cause.code === 'timeout' ? 'timeout' : 'provider_unavailable', {
    public:
      'The connection to the mail server was lost while the change was under way: it may or may not have been made. Do not repeat it; operation_get looks what became of it.',
    details: { reason: 'lost' },
    internal: cause.internal ?? cause.public,
    cause,
  })
}
