import { Fault } from '@postern/core'

/** @throws argument_not_allowed when a password stands among the arguments, whatever the command. Never repeats it. */
export function refusePasswordArgument(args: readonly string[]): void {
  if (!args.some((argument) => /^--?pass(?:word|wd)?(?:=|$)/i.test(argument))) return
  throw new Fault('argument_not_allowed', {
    public:
      'A password is never taken as an argument: every user of this machine can read it in the process list, ' +
      'and your shell keeps it in its history. Leave it out to be asked for it, pipe it in with --password-stdin, ' +
      'or set POSTERN_IMAP_PASSWORD. If it was a real one, change it. Nothing was done.',
    details: { argument: 'password' },
  })
}
