/**
 * `npm run bench -- read`: one run, the reference beside each measure, ratios against the bounds. Further words pick
 * parts of it: `npm run bench -- read latency throughput`.
 */
const [name = 'read', ...parts] = process.argv.slice(2)
if (name !== 'read') {
  console.error(`There is no bench of that name. There is: read`)
  process.exit(1)
}
const { benchRead } = await import('./read/run.ts')
await benchRead(parts)
