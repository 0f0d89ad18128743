import type { HeldApproval } from '@postern/access'
import * as z from 'zod'

/** What stands in the answer of a write that waits for somebody to decide. */
export const approvalFields = {
  approval_id: z.string().optional(),
  review_url: z.string().describe('Where a member of the tenant decides.').optional(),
  expires_at: z.string().optional(),
} as const

/** Nothing of what is held: who decides reads it elsewhere. */
export function tellApproval({ approvalId, reviewUrl, expiresAt }: HeldApproval): {
  approval_id: string
  review_url: string
  expires_at: string
} {
  return { approval_id: approvalId, review_url: reviewUrl, expires_at: expiresAt.toISOString() }
}
