import { definePlugin } from '@oxlint/plugins'
import { catchOnlyToRethrow } from './catch-only-to-rethrow.ts'
import { closedLogFields } from './closed-log-fields.ts'
import { importsByLayer } from './imports-by-layer.ts'
import { noCommandInFetchLoop } from './no-command-in-fetch-loop.ts'
import { ownWordsInPublic } from './own-words-in-public.ts'
import { reExportOnlyInIndex } from './re-export-only-in-index.ts'
import { reasonedSuppression } from './reasoned-suppression.ts'
import { sqlOnlyInStore } from './sql-only-in-store.ts'

/** Rules of this repository that no linter has; each has its tests beside it. */
// oxlint-disable-next-line import/no-default-export -- oxlint takes a plugin from the default export
export default definePlugin({
  meta: { name: 'postern' },
  rules: {
    'catch-only-to-rethrow': catchOnlyToRethrow,
    'closed-log-fields': closedLogFields,
    'imports-by-layer': importsByLayer,
    'no-command-in-fetch-loop': noCommandInFetchLoop,
    'own-words-in-public': ownWordsInPublic,
    're-export-only-in-index': reExportOnlyInIndex,
    'reasoned-suppression': reasonedSuppression,
    'sql-only-in-store': sqlOnlyInStore,
  },
})
