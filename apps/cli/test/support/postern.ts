import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A data folder with commands that run on it, each as a process of its own, and perhaps a service. */
export interface Installation {
  readonly dataDir: string
  run(args: readonly string[], options?: RunOptions): Promise<Ended>
  /** Runs with `--json`, demands success, and returns the one object that was printed. */
  json(args: readonly string[], options?: RunOptions): Promise<Record<string, unknown>>
  /** Runs with `--json`, demands failure, and returns what stands under `error`. */
  error(args: readonly string[], options?: RunOptions): Promise<Record<string, unknown>>
  /** Starts the service on a free port; it ends with the installation. */
  start(): Promise<{ readonly url: string; stop(): Promise<number | null> }>
  remove(): Promise<void>
}

export interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>
  readonly input?: string
}

export async function install(environment: Readonly<Record<string, string>> = {}): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-cli-'))
  // As root the database runs as a user of its own, who has to pass through.
  await chmod(folder, 0o711)
  const dataDir = join(folder, 'data')
  const common = { POSTERN_DATA_DIR: dataDir, POSTERN_PORT: '0', ...environment }
  const services: ChildProcess[] = []
  const run: Installation['run'] = (args, options = {}) => {
    const child = launch(args, { ...common, ...options.environment })
    child.stdin?.end(options.input ?? '')
    return ended(child)
  }
  return {
    dataDir,
    run,
    json: async (args, options) => {
      const { code, stdout, stderr } = await run([...args, '--json'], options)
      assert.equal(code, 0, `${stdout}${stderr}`)
      return parseLine(stdout)
    },
    error: async (args, options) => {
      const { code, stdout } = await run([...args, '--json'], options)
      assert.notEqual(code, 0, stdout)
      const { error } = parseLine(stdout)
      assert.ok(isRecord(error))
      return error
    },
    start: async () => {
      const child = launch(['start', '--json'], common)
      services.push(child)
      const { url } = parseLine(await firstLine(child))
      assert.equal(typeof url, 'string')
      return { url: String(url), stop: () => stop(child) }
    },
    remove: async () => {
      await Promise.all(services.map(stop))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export function launch(args: readonly string[], environment: Readonly<Record<string, string>>): ChildProcess {
  // Nothing of the environment the tests run in, so that its settings are not ours; the database needs no PATH.
  return spawn(process.execPath, [script, ...args], { env: { ...environment }, stdio: 'pipe' })
}

/** What a process said, once it has ended. */
export async function ended(child: ChildProcess): Promise<Ended> {
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  await once(child, 'close')
  return { code: child.exitCode, stdout, stderr }
}

/** @returns the exit code. */
export async function stop(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const exit = once(child, 'exit')
    child.kill('SIGTERM')
    await exit
  }
  return child.exitCode
}

export async function firstLine(child: ChildProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let output = ''
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stdout?.on('data', (chunk: Buffer) => {
    const [line = ''] = chunk.toString().split('\n')
    resolve(line)
  })
  child.once('exit', (code) =>
    reject(new Error(`ended with ${String(code)} before it said anything: ${output}`)),
  )
  return promise
}

export function parseLine(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text)
  assert.ok(isRecord(value), text)
  return value
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function list(value: unknown): readonly Record<string, unknown>[] {
  assert.ok(Array.isArray(value))
  return value.filter(isRecord)
}
