/** What a read is answered with. */
export type ReadAnswer = {
  body: string;
  /** Set when the exchange could not be asked: the wall time of what is shown, unix milliseconds. */
  asOfMs: number | null;
};
