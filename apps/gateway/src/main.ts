import { createLog, Fault, type Log } from '@postern/core'
import { ConfigError, parseConfig, type GatewayConfig } from './config.ts'
import { startGateway } from './start.ts'
import { stopOnSignals } from './stop-signals.ts'
import { openParts } from './wire.ts'

/** The gateway as a process of its own. What `npm start` runs has the same parts and is in the command line. */
async function main(): Promise<void> {
  const config = parseConfig(process.env)
  const log = createLog(config.logLevel, (line) => process.stderr.write(line))
  const starting = start(config, log)
  const stop = stopOnSignals(async () => (await starting).close(), log)
  const { lost } = await starting
  await lost
  log.error('database_lost')
  stop(1)
}

interface Started {
  readonly lost: Promise<void>
  close(): Promise<void>
}

async function start(config: GatewayConfig, log: Log): Promise<Started> {
  const parts = await openParts(config, log, { migrates: false })
  try {
    const gateway = await startGateway(config, parts, log)
    const close = async (): Promise<void> => {
      await gateway.close()
      await parts.close()
    }
    return { lost: parts.lost, close }
  } catch (error) {
    await parts.close()
    throw error
  }
}

try {
  await main()
} catch (error) {
  if (error instanceof ConfigError) console.error(error.message)
  else console.error(error instanceof Fault ? error.public : error)
  process.exit(1)
}
