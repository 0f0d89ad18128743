/** A From address the owner may use; `email` is an addr-spec, `name` what the provider or owner set. */
export interface Identity {
  readonly email: string
  readonly name: string | null
  readonly isPrimary: boolean
}
