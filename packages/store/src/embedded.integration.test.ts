import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { chmod, lstat, mkdir, mkdtemp, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createLog, Fault, silentLog } from '@postern/core'
import { attachEmbedded, removeEmbedded, startEmbedded, type Embedded } from './embedded.ts'
import { findFreePort } from './embedded/free-port.ts'
import { findHome, openHome } from './embedded/home.ts'
import { isAlive, readPostmasterFile } from './embedded/postmaster-file.ts'
import { chooseRunAs } from './embedded/run-as.ts'
import { withOwner } from './migrate.ts'

const isRoot = process.getuid?.() === 0
// An ordinary user: `nobody` where we are root, ourselves where we are not.
const ordinaryUid = isRoot ? 65_534 : null
const quick = { fsync: 'off' }

let folder = ''
let count = 0
// For tests that do not need a new one: starting again is ten times as fast.
let used = ''

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postern-embedded-'))
  await chmod(folder, 0o777)
  used = newDataDir()
  await (await start(used)).stop()
})

after(async () => {
  for (let index = 1; index <= count; index += 1) await removeEmbedded(join(folder, String(index)))
  await rm(folder, { recursive: true, force: true })
})

function newDataDir(): string {
  count += 1
  return join(folder, String(count))
}

const start = (dataDir: string, port = 0): Promise<Embedded> =>
  startEmbedded({ dataDir, port, log: silentLog, settings: quick })

const refusedFor =
  (reason: string) =>
  (error: unknown): boolean =>
    error instanceof Fault && error.details['reason'] === reason

async function ask(url: string, query: string): Promise<unknown> {
  const rows = await withOwner(url, async (client) => (await client.query<{ answer: unknown }>(query)).rows)
  return rows[0]?.answer
}

interface Child {
  readonly process: ChildProcess
  /** What the script printed last, as JSON. */
  readonly said: Record<string, unknown>
}

/** A service of its own: starts on the folder, says its owner's URL or the reason of its failure, and stays. */
async function startChild(dataDir: string, uid: number | null): Promise<Child> {
  const script = `
    const { startEmbedded } = await import(${JSON.stringify(import.meta.resolve('./embedded.ts'))})
    const { silentLog } = await import(${JSON.stringify(import.meta.resolve('@postern/core'))})
    const { findBinaries } = await import(${JSON.stringify(import.meta.resolve('./embedded/binaries.ts'))})
    const uid = ${String(uid)}
    // Where only root can read this checkout, the binaries have to be found before.
    await findBinaries(null, silentLog)
    if (uid !== null) { process.setgroups([]); process.setgid(uid); process.setuid(uid) }
    try {
      const { ownerUrl } = await startEmbedded({ dataDir: ${JSON.stringify(dataDir)}, log: silentLog, settings: { fsync: 'off' } })
      console.log(JSON.stringify({ ownerUrl }))
      setInterval(() => {}, 1000)
    } catch (error) {
      console.log(JSON.stringify({ reason: error.details?.reason ?? String(error), text: error.public }))
    }`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>()
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    if (text.endsWith('\n')) resolve(JSON.parse(text) as Record<string, unknown>)
  })
  child.on('exit', (code) => reject(new Error(`the child ended with ${String(code)} and said ${text}`)))
  return { process: child, said: await promise }
}

async function killChild(child: Child): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  child.process.on('exit', () => resolve())
  child.process.kill('SIGKILL')
  await promise
}

async function waitUntil(isDone: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 30_000
  while (!(await isDone())) {
    assert.ok(Date.now() < end, 'waited in vain')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function postmasterPid(dataDir: string): Promise<number> {
  const home = await findHome(dataDir)
  assert.ok(home)
  const file = await readPostmasterFile(home)
  assert.ok(file)
  return file.pid
}

test('a new folder becomes a database on loopback that its owner, no superuser, can use', async () => {
  const dataDir = newDataDir()
  const server = await start(dataDir)
  try {
    assert.equal(await ask(server.ownerUrl, `select current_user::text as answer`), 'postern_owner')
    assert.equal(
      await ask(server.ownerUrl, `select rolsuper as answer from pg_roles where rolname = current_user`),
      false,
    )
    assert.equal(
      await ask(server.ownerUrl, `select current_setting('listen_addresses') as answer`),
      '127.0.0.1',
    )
    assert.equal(
      await ask(server.superuserUrl, `select current_setting('unix_socket_directories') as answer`),
      '',
    )
    const wrong = new URL(server.ownerUrl)
    wrong.password = 'guess'
    await assert.rejects(ask(wrong.href, 'select 1 as answer'), (error: unknown) => error instanceof Fault)
  } finally {
    await server.stop()
  }
})

test("only the user of the service can read the passwords, and the cluster is its server's alone", async () => {
  const dataDir = used
  const server = await start(dataDir)
  try {
    const home = await findHome(dataDir)
    assert.ok(home)
    assert.equal((await stat(home.settingsFile)).mode & 0o777, 0o600)
    const cluster = await stat(home.cluster)
    assert.equal(cluster.mode & 0o077, 0)
    assert.equal(cluster.uid === 0, false)
    if (!isRoot) assert.equal(cluster.uid, process.getuid?.())
  } finally {
    await server.stop()
  }
})

test('the server is handed nothing of our environment', async () => {
  process.env['POSTERN_CANARY'] = 'canary-in-the-environment'
  const server = await start(used)
  try {
    const environment = await ask(
      server.superuserUrl,
      `select encode(pg_read_binary_file('/proc/self/environ', 0, 65536, true), 'escape') as answer`,
    )
    assert.equal(typeof environment, 'string')
    assert.equal(String(environment).includes('canary'), false)
  } finally {
    delete process.env['POSTERN_CANARY']
    await server.stop()
  }
})

test('what was committed is there after a stop and a start, on the same port', async () => {
  const dataDir = used
  const first = await start(dataDir)
  await ask(first.ownerUrl, `create table public.kept_0 as select 42 as answer`)
  await first.stop()
  await first.stop()
  const second = await start(dataDir)
  try {
    assert.equal(await ask(second.ownerUrl, 'select answer from public.kept_0'), 42)
    assert.equal(second.port, first.port)
  } finally {
    await second.stop()
  }
})

test('a second process on the same folder is told so, and the first serves on', async () => {
  const dataDir = used
  const server = await start(dataDir)
  try {
    const other = await startChild(dataDir, null)
    assert.equal(other.said['reason'], 'data_folder_in_use')
    assert.match(String(other.said['text']), new RegExp(`process ${String(process.pid)}\\b`))
    await assert.rejects(start(dataDir), refusedFor('data_folder_in_use'))
    assert.equal(await ask(server.ownerUrl, 'select 1 as answer'), 1)
  } finally {
    await server.stop()
  }
})

test('two data folders run side by side', async () => {
  const [one, two] = await Promise.all([start(used), start(newDataDir())])
  try {
    assert.notEqual(one.port, two.port)
    assert.equal(await ask(one.ownerUrl, 'select 1 as answer'), 1)
    assert.equal(await ask(two.ownerUrl, 'select 2 as answer'), 2)
  } finally {
    await Promise.all([one.stop(), two.stop()])
  }
})

test('a service killed with kill -9 takes its server along, and the next one finds every commit', async () => {
  const dataDir = used
  const child = await startChild(dataDir, null)
  const url = String(child.said['ownerUrl'])
  await ask(url, `create table public.kept_1 as select 43 as answer`)
  const pid = await postmasterPid(dataDir)
  await killChild(child)
  await waitUntil(() => !isAlive(pid))
  const server = await start(dataDir)
  try {
    assert.equal(await ask(server.ownerUrl, 'select answer from public.kept_1'), 43)
  } finally {
    await server.stop()
  }
})

test('a start right after kill -9 does not wait for anybody to clear up', async () => {
  const dataDir = used
  const child = await startChild(dataDir, null)
  await killChild(child)
  const server = await start(dataDir)
  try {
    assert.equal(await ask(server.ownerUrl, 'select 1 as answer'), 1)
  } finally {
    await server.stop()
  }
})

test('a server that is killed is noticed, and recovers with the next start', async () => {
  const dataDir = used
  const server = await start(dataDir)
  await ask(server.ownerUrl, `create table public.kept_2 as select 44 as answer`)
  process.kill(await postmasterPid(dataDir), 'SIGKILL')
  await server.exited
  const again = await start(dataDir)
  try {
    assert.equal(await ask(again.ownerUrl, 'select answer from public.kept_2'), 44)
  } finally {
    await again.stop()
  }
})

test('a process number left in the folder that now belongs to somebody else keeps nobody from starting', async () => {
  const dataDir = used
  await (await start(dataDir)).stop()
  const home = await findHome(dataDir)
  assert.ok(home)
  const bystander = spawn('sleep', ['60'])
  try {
    await writeFile(
      join(home.cluster, 'postmaster.pid'),
      `${String(bystander.pid)}\n${home.cluster}\n0\n1\n\n127.0.0.1\n\nready\n`,
    )
    await (await start(dataDir)).stop()
    assert.equal(isAlive(bystander.pid ?? 0), true)
  } finally {
    bystander.kill('SIGKILL')
  }
})

test('a start that died half-way through leaves nothing in the way of the next', async () => {
  const dataDir = newDataDir()
  await mkdir(join(dataDir, 'postgres', 'cluster.new', 'base'), { recursive: true, mode: 0o711 })
  const server = await start(dataDir)
  await server.stop()
})

test('a remembered port that somebody took is replaced; a port asked for is not', async () => {
  const dataDir = used
  const first = await start(dataDir)
  await first.stop()
  const squatter = createServer()
  await new Promise<void>((resolve) => squatter.listen(first.port, '127.0.0.1', resolve))
  try {
    await assert.rejects(start(dataDir, first.port), refusedFor('port_in_use'))
    const second = await start(dataDir)
    assert.notEqual(second.port, first.port)
    await second.stop()
  } finally {
    squatter.close()
  }
  const wanted = await findFreePort()
  const third = await start(dataDir, wanted)
  assert.equal(third.port, wanted)
  await third.stop()
})

test('a command beside a running service reaches its database, and learns that none runs', async () => {
  const dataDir = used
  assert.equal(await attachEmbedded(newDataDir()), null)
  assert.equal(await attachEmbedded(dataDir), null)
  const child = await startChild(dataDir, null)
  const url = await attachEmbedded(dataDir)
  assert.ok(url)
  assert.equal(await ask(url, 'select 7 as answer'), 7)
  const pid = await postmasterPid(dataDir)
  await killChild(child)
  await waitUntil(() => !isAlive(pid))
  assert.equal(await attachEmbedded(dataDir), null)
})

test('an ordinary user runs it as himself', async () => {
  const dataDir = newDataDir()
  const child = await startChild(dataDir, ordinaryUid)
  assert.equal(typeof child.said['ownerUrl'], 'string', JSON.stringify(child.said))
  const home = await findHome(dataDir)
  assert.ok(home)
  assert.equal((await stat(home.cluster)).uid, ordinaryUid ?? process.getuid?.())
  await killChild(child)
})

test('a folder that cannot be written is named, and nothing else happens', async () => {
  const closed = newDataDir()
  await mkdir(closed, { mode: 0o555 })
  const child = await startChild(join(closed, 'data'), ordinaryUid)
  assert.equal(child.said['reason'], 'data_folder_unwritable')
  assert.ok(String(child.said['text']).includes(closed))
})

test('a private folder is opened for passing through as long as nothing in it can be read by others', async () => {
  const [empty, secret, shared] = [newDataDir(), newDataDir(), newDataDir()]
  for (const dataDir of [empty, secret, shared]) await mkdir(dataDir, { mode: 0o700 })
  await writeFile(join(secret, 'secret-keys'), 'x', { mode: 0o600 })
  await writeFile(join(shared, 'notes'), 'x', { mode: 0o644 })
  const isMoved = async (dataDir: string): Promise<boolean> => {
    await openHome(dataDir, await chooseRunAs(silentLog), silentLog)
    return (await lstat(join(dataDir, 'postgres'))).isSymbolicLink()
  }
  assert.equal(await isMoved(empty), false)
  assert.equal(await isMoved(secret), false)
  // Root's server runs as another user; an ordinary user's needs no way.
  assert.equal(await isMoved(shared), isRoot)
  assert.equal((await stat(secret)).mode & 0o777, isRoot ? 0o711 : 0o700)
  assert.equal((await stat(shared)).mode & 0o777, 0o700)
})

test("a folder that the server's user cannot reach is replaced by one he can, and the log says so", async () => {
  const closed = newDataDir()
  const dataDir = join(closed, 'data')
  await mkdir(closed, { mode: 0o700 })
  const lines: string[] = []
  const log = createLog('info', (line) => void lines.push(line))
  const server = await startEmbedded({ dataDir, log, settings: quick })
  await ask(server.ownerUrl, `create table public.kept as select 45 as answer`)
  await server.stop()
  const home = await realpath(join(dataDir, 'postgres'))
  try {
    // An ordinary user is the server's user and can reach what is his.
    assert.equal((await lstat(join(dataDir, 'postgres'))).isSymbolicLink(), isRoot)
    assert.equal(
      lines.some((line) => line.includes('database_folder_moved') && line.includes(home)),
      isRoot,
    )
    const again = await startEmbedded({ dataDir, log, settings: quick })
    assert.equal(await ask(again.ownerUrl, 'select answer from public.kept'), 45)
    await again.stop()
  } finally {
    await rm(home, { recursive: true, force: true })
  }
})

test('a database that was moved and is gone is reported, not replaced', async () => {
  const dataDir = newDataDir()
  await mkdir(dataDir)
  await symlink(join(folder, 'gone'), join(dataDir, 'postgres'))
  await assert.rejects(start(dataDir), refusedFor('data_folder_unreachable'))
})

test('passwords that were lost are asked for, not replaced', async () => {
  // The last test of this file: nothing can use that folder afterwards.
  const dataDir = used
  const home = await findHome(dataDir)
  assert.ok(home)
  await writeFile(home.settingsFile, '{"port":')
  await assert.rejects(start(dataDir), /is damaged/)
  await rm(home.settingsFile)
  await assert.rejects(start(dataDir), /is missing/)
})
