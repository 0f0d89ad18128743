/**
 * `npm run bench -- read`: one run, the reference beside each measure, ratios against the bounds. Further words pick
 * parts of it: `npm run bench -- read latency throughput`. `npm run bench -- write` is the other one.
 */
const [name = 'read', ...parts] = process.argv.slice(2)
switch (name) {
  case 'read':
    await (await import('./read/run.ts')).benchRead(parts)
    break
  case 'write':
    await (await import('./write/run.ts')).benchWrite(parts)
    break
  default:
    console.error('There is no bench of that name. There are: read, write')
    process.exitCode = 1
}
