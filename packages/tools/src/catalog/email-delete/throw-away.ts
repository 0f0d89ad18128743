import { Fault } from '@postern/core'
import type { Change } from '../../change-messages.ts'
import type { WriteContext } from '../../define-tool.ts'
import { onlyInbox } from '../../only-inbox.ts'

/**
 * What is thrown away is what the id means and no copy of it.
 *
 * To Trash, or for ever. Where single messages cannot be deleted for ever nothing goes to Trash in place of it.
 * @throws capability_unavailable.
 */
export function throwAway(isPermanent: boolean, context: WriteContext): Change {
  if (!isPermanent)
    return {
      isReversible: true,
      needsCertainty: true,
      verb: (mail, refs) => mail.trashMessages(refs, context.write),
    }
  const { provider } = onlyInbox(context)
  if (!context.deps.capabilitiesOf(provider).permanentDelete) {
    throw new Fault('capability_unavailable', {
      public: `Mail of ${provider} cannot be deleted for ever from here, so nothing was deleted and nothing moved to Trash. Without permanent it goes to Trash.`,
      details: { argument: 'permanent' },
    })
  }
  return {
    isReversible: false,
    needsCertainty: true,
    about: markOf(true),
    verb: (mail, refs) => mail.deleteMessages(refs, context.write),
  }
}

/** What the answer says beside, for the record too: nothing of it comes back. */
export function markOf(isPermanent: boolean): { permanent?: true } {
  return isPermanent ? { permanent: true } : {}
}
