import { Command } from 'commander'
import { addCallCommand } from './commands/call.ts'
import { addDemoCommand } from './commands/demo.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addInboxCommands } from './commands/inbox.ts'
import { addKeyCommands } from './commands/key.ts'
import { addMigrateCommand } from './commands/migrate.ts'
import { addStartCommand } from './commands/start.ts'
import { addTenantCommands } from './commands/tenant.ts'
import type { CommandContext } from './context.ts'
import type { Run } from './run.ts'

/** The whole command line. It never ends the process: usage errors are thrown, after being written unless JSON is wanted. */
export function buildProgram(context: CommandContext, run: Run): Command {
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
  addStartCommand(program, run)
  addDemoCommand(program, run)
  addTenantCommands(program, run)
  addInboxCommands(program, run)
  addKeyCommands(program, run)
  addCallCommand(program, run)
  addDoctorCommand(program, run)
  addMigrateCommand(program, run)
  return program
}
