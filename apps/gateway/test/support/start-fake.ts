import { once } from 'node:events'
import { createLog } from '@postern/core'
import { parseConfig, startGateway, stopOnSignals, type Environment } from '../../src/start.ts'
import { fakeTools, success } from './fake-tools.ts'
import { principal } from './listener.ts'

/**
 * A process with the real start and stop around fake parts. Its settings are JSON in the first argument; what happens
 * to the parts is written to standard output, after the address. The tool `slow` takes as long as it is told, and the
 * database is lost when standard input ends.
 */
const config = parseConfig(JSON.parse(process.argv[2] ?? '{}') as Environment)
const log = createLog('info', (line) => process.stderr.write(line))
const say = (line: string): void => void process.stdout.write(`${line}\n`)

const caller = principal()
const lost = once(process.stdin, 'end').then(() => undefined)
process.stdin.resume()
const gateway = await startGateway(
  config,
  {
    authenticate: async () => caller,
    tools: fakeTools({
      slow: async ({ ms }, { signal }) => {
        signal.addEventListener('abort', () => say('aborted'))
        say('started')
        await new Promise((resolve) => setTimeout(resolve, Number(ms)))
        say('finished')
        return success('slow', { done: true })
      },
    }),
    uploads: { put: () => Promise.reject(new Error('no shelf')) },
    downloads: { find: async () => null },
    checks: [{ name: 'database', run: async () => undefined }],
    gauges: [{ name: 'postern_test_losses', help: 'A gauge of the parts', read: () => 3 }],
    lost,
    begin: () => Promise.resolve(),
    close: async () => say('parts closed'),
  },
  log,
)
const close = async (): Promise<void> => {
  await gateway.close()
  say('parts closed')
}
const stop = stopOnSignals(close, log)
void lost.then(() => stop(1))
say(gateway.address)
