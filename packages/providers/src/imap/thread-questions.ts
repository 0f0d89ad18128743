import { maxAnswerMs, type JoinedThread, type ThreadMember } from '@postern/mail'
import { dayAtom } from './day-atom.ts'
import { atom, text, type Argument } from './wire.ts'

/** One thing to ask of each folder about a conversation. */
export interface ThreadQuestion {
  /** Equal for equal questions: a folder is asked each once. */
  readonly key: string
  /** One search key. */
  readonly search: Argument
  readonly isBeyondAscii: boolean
  /** About what it adds to a command line. */
  readonly octets: number
}

export interface ThreadQuestions {
  readonly questions: readonly ThreadQuestion[]
  /** A bound left something unasked. */
  readonly isCut: boolean
}

/** Ids whose answers are looked for, subjects, and answers without headers. */
const maxIds = 250
const maxHeads = 50
const maxSubjects = 5
const maxLoose = 10
const maxSubjectChars = 100
const dayMs = 86_400_000

/**
 * What has to be asked to find the rest of a conversation, in headers alone. An answer holds in References the id
 * at which its chain begins, or, where the chain was cut or never written, its parent in In-Reply-To; so each id is
 * looked for in one field, and only the heads in all. Sources: RFC 5322 3.6.4; RFC 3501 6.4.4 (HEADER).
 */
export function threadQuestions({ ids, heads, subjects, loose }: JoinedThread): ThreadQuestions {
  const questions = [
    ...heads.slice(0, maxHeads).flatMap((id) => [inHeader('Message-ID', id), inHeader('References', id)]),
    ...ids.slice(0, maxIds).map((id) => inHeader('In-Reply-To', id)),
    ...subjects.slice(0, maxSubjects).map(looseAnswers),
    ...loose.slice(0, maxLoose).map(answeredBy),
  ]
  const isCut =
    heads.length > maxHeads || ids.length > maxIds || subjects.length > maxSubjects || loose.length > maxLoose
  return { questions, isCut }
}

/** The ids are printable ASCII (`readThreadLinks`), which a quoted string carries. */
function inHeader(name: string, id: string): ThreadQuestion {
  const search = [atom('HEADER'), atom(name), text(id, false)]
  return { key: `${name} ${id}`, search, isBeyondAscii: false, octets: id.length + name.length + 16 }
}

/**
 * Answers to a subject that have none of the headers of an answer. `Re: Plan` and `Re: [list] Plan` contain `: Plan`
 * or `] Plan`; RFC 3501 6.4.4: the empty string finds whatever has the field.
 */
function looseAnswers(subject: string): ThreadQuestion {
  const words = subject.slice(0, maxSubjectChars)
  const has = (marker: string): readonly Argument[] => [atom('SUBJECT'), subjectText(`${marker} ${words}`)]
  const lacks = (name: string): readonly Argument[] => [
    atom('NOT'),
    atom('HEADER'),
    atom(name),
    text('', false),
  ]
  return {
    key: `answers ${words}`,
    search: [atom('OR'), ...has(':'), ...has(']'), ...lacks('References'), ...lacks('In-Reply-To')],
    isBeyondAscii: isBeyondAscii(words),
    octets: 2 * Buffer.byteLength(words) + 100,
  }
}

/** Whatever an answer without headers may be an answer to. RFC 3501 6.4.4: days, in a zone nobody knows. */
function answeredBy({ message, baseText }: ThreadMember): ThreadQuestion {
  const words = baseText.slice(0, maxSubjectChars)
  const at = message.receivedAt.getTime()
  const since = dayAtom(new Date(Math.max(0, at - maxAnswerMs - dayMs)))
  const before = dayAtom(new Date(at + 2 * dayMs))
  return {
    key: `answered ${words} ${Math.floor(at / dayMs)}`,
    search: [atom('SUBJECT'), subjectText(words), atom('SINCE'), since, atom('BEFORE'), before],
    isBeyondAscii: isBeyondAscii(words),
    octets: Buffer.byteLength(words) + 60,
  }
}

function subjectText(words: string): Argument {
  // RFC 3501 9: NUL is in no string at all.
  return text(words.replaceAll('\0', ' '), false)
}

function isBeyondAscii(words: string): boolean {
  return /[^\x00-\x7f]/.test(words)
}
