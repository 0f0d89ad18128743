import type { Outcome } from '@postern/access'
import type { SendReceipt } from '@postern/mail'

/** How a send ended, in the words of the ledger. */
export function outcomeOf(
  receipt: SendReceipt,
): Extract<Outcome, 'sent' | 'partial' | 'unknown' | 'not_sent'> {
  if (receipt.outcome === 'unknown') return 'unknown'
  if (receipt.outcome !== 'sent') return 'not_sent'
  return receipt.recipients.every(({ status }) => status === 'accepted') ? 'sent' : 'partial'
}
