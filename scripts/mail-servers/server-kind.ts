import type { Certificates } from './ca.ts'
import type { RunningServer } from './isolate.ts'

/** One kind of mailbox server the tests know how to start. */
export interface TestServerKind {
  /** Debian packages it is unpacked from. */
  readonly packages: readonly string[]
  /** Resolves when it accepts connections. */
  start(options: ServerOptions): Promise<RunningServer>
}

/** What each server's start function is given. */
export interface ServerOptions {
  /** Its unpacked packages. */
  readonly root: string
  /** An empty folder of its own, on memory where there is some. */
  readonly folder: string
  /** Address to listen on: loopback, or every interface inside a container. */
  readonly listen: string
  readonly imapPort: number
  readonly imapsPort: number
  readonly certificates: Certificates
}

/** Every user of every test server logs in with it. */
export const password = 'secret'
