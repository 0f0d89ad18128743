import { wordSet } from './word-set.ts'

/** Elements whose content is no text of the mail, or shown by no mail program. (The contents of templates are no children.) */
export const droppedElements = wordSet(
  'script style template svg head title iframe noframes noembed frameset audio video canvas',
  'datalist',
)

/** Elements that stand on lines of their own. */
export const blockElements = wordSet(
  'address article aside blockquote body caption center dd details dialog dir div dl dt fieldset',
  'figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li listing main menu',
  'nav ol optgroup option p plaintext pre section summary table tbody tfoot thead tr ul xmp',
)
