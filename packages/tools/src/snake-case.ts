/** `messageId`, `message-id` and `MessageID` as `message_id`. */
export function snakeCase(name: string): string {
  if (name.length > 64) return name
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase()
}
