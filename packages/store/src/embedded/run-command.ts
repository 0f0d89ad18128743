import { spawn } from 'node:child_process'

/** The system user a child runs as, where that is not our own. */
export interface RunAs {
  readonly uid: number
  readonly gid: number
}

export interface CommandResult {
  /** Null when the command could not be run or was killed. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface CommandOptions {
  readonly runAs: RunAs | null
  readonly cwd?: string
  readonly timeoutSeconds?: number
}

// Children get this and nothing of ours: our own environment may hold secrets.
export const childEnvironment = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' }

const maxOutput = 64 * 1024

/** Runs a command to its end. Never throws: a command that cannot be run has code null and the reason in `stderr`. */
export function runCommand(
  file: string,
  args: readonly string[],
  { runAs, cwd = '/', timeoutSeconds = 60 }: CommandOptions,
): Promise<CommandResult> {
  const { promise, resolve } = Promise.withResolvers<CommandResult>()
  const child = spawn(file, args, {
    ...runAs,
    cwd,
    env: childEnvironment,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutSeconds * 1000,
    killSignal: 'SIGKILL',
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout = (stdout + text).slice(-maxOutput)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-maxOutput)
  })
  // Without a listener a file that cannot be executed would end the process.
  child.on('error', (error) => resolve({ code: null, stdout, stderr: error.message }))
  child.on('close', (code) => resolve({ code, stdout, stderr }))
  return promise
}
