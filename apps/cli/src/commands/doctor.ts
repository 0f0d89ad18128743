import type { Command } from 'commander'
import type { Answer, CommandContext } from '../context.ts'
import { examine, type Finding } from '../examine.ts'
import { indent, printable } from '../layout.ts'
import type { Run } from '../run.ts'

export function defineDoctor(doctor: Command, run: Run): void {
  doctor.action(() => run(diagnose))
}

const marks = { ok: 'ok    ', note: 'note  ', failed: 'FAILED' } as const

async function diagnose(context: CommandContext): Promise<Answer> {
  const findings: Finding[] = []
  for await (const finding of examine(context)) findings.push(finding)
  const failed = findings.filter(({ state }) => state === 'failed').length
  const lines = findings.map(({ state, check, found, advice }) => {
    const line = `${marks[state]}  ${printable(`${check}: ${found}`)}\n`
    return advice === undefined ? line : `${line}${indent(`${printable(advice)}\n`, 8)}`
  })
  const summary =
    failed === 0 ? 'Nothing is wrong.' : `${failed === 1 ? 'One thing needs' : `${failed} things need`} you.`
  return {
    json: { ok: failed === 0, checks: findings },
    text: `${lines.join('')}\n${summary}\n`,
    isFailure: failed > 0,
  }
}
