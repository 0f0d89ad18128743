/**
 * Text in the form in which it is compared: compatibility characters composed (NFKC), case folded in full
 * (sharp s is `ss`, final sigma is sigma), white space runs made one blank. Two texts that a person would
 * call the same word have the same folded form; it is for comparing only, never for showing.
 * Source: Unicode Standard 3.13, caseless matching; JavaScript has no case folding, upper then lower case is the same map.
 */
export function foldText(text: string): string {
  return text
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase()
    .replaceAll('\u03c2', '\u03c3') // toLowerCase writes a final sigma at the end of words only
    .replace(/\s+/g, ' ')
    .normalize('NFKC') // folding may decompose
}
