/** `text` without what stands at its end of these characters; `/0+$/` starts anew at every zero of the text. */
export function trimTail(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
