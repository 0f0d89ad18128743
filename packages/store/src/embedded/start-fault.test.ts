import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explainOutput } from './start-fault.ts'

const reasonOf = (text: string): unknown => explainOutput('/srv/data', text).details['reason']

test('a full disk is called that, whoever noticed it', () => {
  for (const text of [
    'FATAL:  could not write lock file "postmaster.pid": No space left on device',
    'initdb: error: could not create directory "/srv/data/base": Disk quota exceeded',
    "ENOSPC: no space left on device, write '/srv/data/server.json.new'",
    'database or disk is full',
    'FATAL:  could not extend file "base/1/2691": wrote only 4096 of 8192 bytes\nHINT:  Check free disk space.',
  ]) {
    assert.equal(reasonOf(text), 'disk_full')
    assert.match(explainOutput('/srv/data', text).public, /\/srv\/data is full/)
  }
})

test('a folder that cannot be written is called that', () => {
  for (const text of [
    "EACCES: permission denied, mkdir '/srv/data'",
    "EROFS: read-only file system, mkdir '/srv/data'",
    'FATAL:  could not open directory "pg_wal": Permission denied',
    'unable to open database file',
    'attempt to write a readonly database',
  ]) {
    assert.equal(reasonOf(text), 'data_folder_unwritable')
  }
})

test('binaries without their libraries say how to get them', () => {
  const text =
    'postgres: error while loading shared libraries: libicuuc.so.60: cannot open shared object file'
  assert.equal(reasonOf(text), 'binaries_unusable')
})

test("anything else keeps the server's words out of what is shown", () => {
  const fault = explainOutput('/srv/data', 'PANIC:  could not locate a valid checkpoint record')
  assert.equal(fault.details['reason'], 'server_failed')
  assert.equal(fault.public.includes('checkpoint'), false)
  assert.match(String(fault.internal), /valid checkpoint record/)
})
