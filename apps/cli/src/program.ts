import { Command } from 'commander'
import type { CommandContext } from './context.ts'
import type { Run } from './run.ts'

/** Adds arguments, options, sub-commands and the action to a command that has its name and description already. */
export type Define = (command: Command, run: Run) => void

interface Entry {
  readonly name: string
  readonly description: string
  readonly load: () => Promise<Define>
}

/** What a command needs is loaded when it is asked for: help and refusals must not wait for a database driver. */
const commands: readonly Entry[] = [
  {
    name: 'start',
    description: 'run the service: embedded database, migrations and gateway in one process',
    load: async () => (await import('./commands/start.ts')).defineStart,
  },
  {
    name: 'demo',
    description: 'try Postern on a made-up mailbox: a service in a temporary folder, gone when it ends',
    load: async () => (await import('./commands/demo.ts')).defineDemo,
  },
  {
    name: 'tenant',
    description: 'make and list tenants: who owns inboxes and keys',
    load: async () => (await import('./commands/tenant.ts')).defineTenant,
  },
  {
    name: 'inbox',
    description: 'connect, list, set and remove mailboxes',
    load: async () => (await import('./commands/inbox.ts')).defineInbox,
  },
  {
    name: 'key',
    description: 'make, list and revoke API keys',
    load: async () => (await import('./commands/key.ts')).defineKey,
  },
  {
    name: 'policy',
    description: 'show and set the rules under which keys send from an inbox',
    load: async () => (await import('./commands/policy.ts')).definePolicy,
  },
  {
    name: 'approvals',
    description: 'see and decide what waits for approval, at a terminal',
    load: async () => (await import('./commands/approvals.ts')).defineApprovals,
  },
  {
    name: 'call',
    description: 'call a tool of a running service over MCP, as an agent would',
    load: async () => (await import('./commands/call.ts')).defineCall,
  },
  {
    name: 'doctor',
    description: 'check configuration, database, service and mailboxes, and say what to do',
    load: async () => (await import('./commands/doctor.ts')).defineDoctor,
  },
  {
    name: 'migrate',
    description: 'bring the database up to this release; DATABASE_URL is its owner',
    load: async () => (await import('./commands/migrate.ts')).defineMigrate,
  },
]

/**
 * The command line, as far as `args` need it. It never ends the process: usage errors are thrown, after they
 * have been written unless JSON is wanted.
 */
export async function buildProgram(
  context: CommandContext,
  run: Run,
  args: readonly string[],
): Promise<Command> {
  const program = new Command('postern')
    .description('Scoped access to real mailboxes for AI agents, over one MCP URL.')
    .option('--json', 'answer with one JSON object on standard output, errors too')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: context.print,
      writeErr: context.isJson ? () => undefined : context.note,
    })
    .exitOverride()
    .showHelpAfterError('(--help tells more)')
  for (const { name, description, load } of commands) {
    const command = program.command(name).description(description)
    if (args.includes(name)) (await load())(command, run)
  }
  return program
}
