import { setTimeout as delay } from 'node:timers/promises'
import { Fault } from '@postern/core'
import { attachEmbedded } from '@postern/store'

/** A service that starts on the folder takes some seconds before its database can be borrowed. */
export const serviceStartSeconds = 15
/** Other commands on the folder are gone in less. */
export const commandSeconds = 5

/**
 * Gets by with a service and other commands on the same data folder. `act` is given the owner's URL of the
 * database that runs there, else null and may start it; where somebody was quicker, or the borrowed database
 * ended meanwhile, it is run again.
 * @throws what `act` throws, once time is up.
 */
export async function shareDataFolder<T>(
  dataDir: string,
  patienceSeconds: number,
  act: (runningUrl: string | null) => Promise<T>,
): Promise<T> {
  const givenUp = Date.now() + patienceSeconds * 1_000
  for (;;) {
    const runningUrl = await attachEmbedded(dataDir)
    try {
      return await act(runningUrl)
    } catch (error) {
      if (!isPassing(error) || Date.now() > givenUp) throw error
    }
    await delay(250)
  }
}

/** Whether somebody else is coming or going; nothing was done then. */
function isPassing(error: unknown): boolean {
  return (
    error instanceof Fault &&
    (error.code === 'service_busy' || error.details['reason'] === 'data_folder_in_use')
  )
}
