/* What went wrong, in words that say what to do. */

/* An error whose message is for the reader as it stands. */
export class Trouble extends Error {}

export const GONE =
  "The server does not answer. Run `make live` again, then reload this page.";
export const LOGGED_OUT =
  "Your login has ended. Open the address that `make live` printed.";

interface Refusal {
  response?: { status: number };
  message?: string;
}

export function explain(error: unknown): string {
  if (error instanceof Trouble) return error.message;
  if (error instanceof TypeError) return GONE; // fetch found no one there
  const { response, message } = (error ?? {}) as Refusal;
  if (response?.status === 401 || response?.status === 403) return LOGGED_OUT;
  if (response) return `The server refused (${response.status}): ${message}`;
  return message || String(error);
}
