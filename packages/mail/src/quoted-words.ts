// English, German, French, Spanish, Italian, Portuguese, Dutch, Swedish, Danish, Norwegian, Finnish, Polish, Russian,
// Japanese, Chinese: as mail programs set them, lower-case.

/** `-----Original Message-----`: what stands between the dashes above quoted history. */
export const originalMarkers: ReadonlySet<string> = new Set([
  'original message',
  'reply message',
  'original mail',
  'urspr\u00fcngliche nachricht',
  'original-nachricht',
  'originalnachricht',
  "message d'origine",
  'message original',
  'mensaje original',
  'mensagem original',
  'messaggio originale',
  'oorspronkelijk bericht',
  'origineel bericht',
  'ursprungligt meddelande',
  'originalmeddelande',
  'oprindelig meddelelse',
  'oprindelig besked',
  'opprinnelig melding',
  'alkuper\u00e4inen viesti',
  'wiadomo\u015b\u0107 oryginalna',
  'oryginalna wiadomo\u015b\u0107',
  '\u0438\u0441\u0445\u043e\u0434\u043d\u043e\u0435 \u0441\u043e\u043e\u0431\u0449\u0435\u043d\u0438\u0435',
  '\u043e\u0440\u0438\u0433\u0438\u043d\u0430\u043b\u044c\u043d\u043e\u0435 \u0441\u043e\u043e\u0431\u0449\u0435\u043d\u0438\u0435',
  '\u5143\u306e\u30e1\u30c3\u30bb\u30fc\u30b8',
  '\u5143\u306e\u30e1\u30fc\u30eb',
  '\u539f\u59cb\u90ae\u4ef6',
  '\u539f\u59cb\u90f5\u4ef6',
  '\u90ae\u4ef6\u539f\u4ef6',
  '\u539f\u90ae\u4ef6',
  '\u56de\u590d\u7684\u539f\u90ae\u4ef6',
])

/** What mail programs put above a forwarded mail, between dashes or before a colon. What follows is no history. */
export const forwardMarkers: ReadonlySet<string> = new Set([
  'forwarded message',
  'begin forwarded message',
  'weitergeleitete nachricht',
  'anfang der weitergeleiteten nachricht',
  'anfang der weitergeleiteten e-mail',
  'message transf\u00e9r\u00e9',
  'message transmis',
  'd\u00e9but du message transf\u00e9r\u00e9',
  'd\u00e9but du message r\u00e9exp\u00e9di\u00e9',
  'mensaje reenviado',
  'inicio del mensaje reenviado',
  'messaggio inoltrato',
  'inizio messaggio inoltrato',
  'mensagem encaminhada',
  'in\u00edcio da mensagem reencaminhada',
  'doorgestuurd bericht',
  'begin doorgestuurd bericht',
  'vidarebefordrat meddelande',
  'vidarebefordrat brev',
  'vidarebefordrad mail',
  'videresendt meddelelse',
  'videresendt besked',
  'videresendt melding',
  'videresendt e-post',
  'v\u00e4litetty viesti',
  'edelleenl\u00e4hetetty viesti',
  'przekazana wiadomo\u015b\u0107',
  'wiadomo\u015b\u0107 przekazana',
  '\u043f\u0435\u0440\u0435\u0441\u044b\u043b\u0430\u0435\u043c\u043e\u0435 \u0441\u043e\u043e\u0431\u0449\u0435\u043d\u0438\u0435',
  '\u043f\u0435\u0440\u0435\u0430\u0434\u0440\u0435\u0441\u043e\u0432\u0430\u043d\u043d\u043e\u0435 \u0441\u043e\u043e\u0431\u0449\u0435\u043d\u0438\u0435',
  '\u043f\u0435\u0440\u0435\u0441\u043b\u0430\u043d\u043d\u043e\u0435 \u0441\u043e\u043e\u0431\u0449\u0435\u043d\u0438\u0435',
  '\u8ee2\u9001\u30e1\u30c3\u30bb\u30fc\u30b8',
  '\u8ee2\u9001\u3055\u308c\u305f\u30e1\u30c3\u30bb\u30fc\u30b8',
  '\u8f6c\u53d1\u7684\u90ae\u4ef6',
  '\u8f6c\u53d1\u90ae\u4ef6',
  '\u8f49\u5bc4\u7684\u90f5\u4ef6',
  '\u8f49\u5bc4\u90f5\u4ef6',
])

export type HeaderLabel = 'from' | 'date' | 'to' | 'subject'

const labels: Readonly<Record<HeaderLabel, string>> = {
  from:
    'from von de da van fr\u00e5n fra l\u00e4hett\u00e4j\u00e4 od \u043e\u0442 ' +
    '\u5dee\u51fa\u4eba \u9001\u4fe1\u8005 \u53d1\u4ef6\u4eba \u767c\u4ef6\u4eba \u5bc4\u4ef6\u8005 \u5bc4\u4ef6\u4eba',
  date:
    'sent date gesendet datum envoy\u00e9 fecha enviado inviato data enviada verzonden skickat sendt dato ' +
    'l\u00e4hetetty p\u00e4iv\u00e4m\u00e4\u00e4r\u00e4 wys\u0142ano \u043e\u0442\u043f\u0440\u0430\u0432\u043b\u0435\u043d\u043e \u0434\u0430\u0442\u0430 \u9001\u4fe1\u65e5\u6642 \u65e5\u4ed8 \u65e5\u671f \u65f6\u95f4 \u53d1\u9001\u65f6\u95f4 \u53d1\u9001\u65e5\u671f \u767c\u9001\u6642\u9593 \u50b3\u9001\u6642\u9593 \u5bc4\u4ef6\u65e5\u671f',
  to: 'to an \u00e0 a para aan till til vastaanottaja do \u043a\u043e\u043c\u0443 \u5b9b\u5148 \u6536\u4ef6\u4eba \u6536\u4ef6\u8005',
  subject:
    'subject betreff objet asunto oggetto assunto onderwerp \u00e4mne emne aihe temat \u0442\u0435\u043c\u0430 \u4ef6\u540d \u4e3b\u9898 \u4e3b\u984c',
}

/** The label of a header line as Outlook and others write it above quoted history, by its first word in lower case. */
export const headerLabels: ReadonlyMap<string, HeaderLabel> = new Map(
  (['from', 'date', 'to', 'subject'] as const).flatMap((kind) =>
    labels[kind].split(' ').map((word) => [word, kind] as const),
  ),
)

/** The verb of `On ... wrote:`. */
export const attributionVerbs: readonly string[] = [
  'wrote',
  'schrieb',
  'a \u00e9crit',
  'escribi\u00f3',
  'ha scritto',
  'escreveu',
  'schreef',
  'skrev',
  'kirjoitti',
  'napisa\u0142',
  'napisa\u0142a',
  'napisa\u0142(a)',
  'pisze',
  '\u043d\u0430\u043f\u0438\u0441\u0430\u043b',
  '\u043d\u0430\u043f\u0438\u0441\u0430\u043b\u0430',
  '\u043d\u0430\u043f\u0438\u0441\u0430\u043b(\u0430)',
  '\u043f\u0438\u0448\u0435\u0442',
  '\u5199\u9053',
  '\u5beb\u9053',
  '\u66f8\u304d\u307e\u3057\u305f',
  '\u306e\u30e1\u30fc\u30eb',
]
