import type { SendKill } from './send-kills.ts'

/** From the first octet of the message on nobody can say. */
const mayBeUnknown: ReadonlySet<string> = new Set([
  'data',
  'after the final dot',
  'sent copy',
  'draft removal',
])

/** What must never be of a send that was killed and repeated; null where all is well. */
export function judgeSend({ stage, delivered, told, afterwards }: SendKill): string | null {
  if (delivered > 1) return `delivered ${String(delivered)} times`
  if (told === 'sent' && delivered !== 1) return 'told to be sent, and not delivered'
  if (told === 'not_sent' && delivered !== 0) return 'told not to be sent, and delivered'
  if (told === 'unknown' && !mayBeUnknown.has(stage)) return 'unknown, and no octet had left'
  if (!['sent', 'not_sent', 'unknown'].includes(told)) return `told ${told}`
  if (afterwards === 'sent' && delivered !== 1) return 'operation_get says sent, and it was not delivered'
  return afterwards === 'not_sent' && delivered !== 0
    ? 'operation_get says not_sent, and it was delivered'
    : null
}
