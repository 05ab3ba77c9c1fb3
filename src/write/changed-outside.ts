/** What a row says that somebody wrote beside us is not used. */
export function changedOutside(what: string): string {
  return `The gateway's database was changed from outside: ${what}. Nothing was sent. Its operator finds more with "postern doctor".`;
}
