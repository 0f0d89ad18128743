/** An even share each of `total`; what one does not need passes on to those that need more. Whole numbers. */
export function shareEvenly(needs: readonly number[], total: number): readonly number[] {
  const shares = needs.map(() => 0)
  const byNeed = needs.map((need, index) => ({ need, index })).sort((a, b) => a.need - b.need)
  let left = total
  for (const [position, { need, index }] of byNeed.entries()) {
    const share = Math.min(need, Math.floor(left / (byNeed.length - position)))
    shares[index] = share
    left -= share
  }
  return shares
}
