/** Words for a row that somebody has written beside this gateway: what it says is not used. */
export function changedOutside(what: string): string {
  return `The gateway's database was changed from outside: ${what}. Nothing was sent. Its operator finds more with "postern doctor".`;
}
