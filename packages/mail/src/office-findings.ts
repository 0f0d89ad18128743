/** What a reader of one kind found beside the text that it put into the sink. */
export interface OfficeFindings {
  readonly isSound: boolean
  readonly hiddenTextRemoved: number
}
