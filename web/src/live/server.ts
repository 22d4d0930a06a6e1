/* The live server, as one page sees it. */
import { ServerConnection } from "@jupyterlab/services";

/* What the server's mark in the page says. */
export interface Page {
  base: string;
  page: string;
  frameworks: string[];
}

export class Server {
  readonly settings: ServerConnection.ISettings;

  constructor(readonly page: Page) {
    const baseUrl = new URL(page.base, window.location.href).href;
    this.settings = ServerConnection.makeSettings({
      baseUrl,
      wsUrl: baseUrl.replace(/^http/, "ws"),
      token: "", // the cookie is the login
      appendToken: false,
    });
  }

  /* The session of a page and framework: a reload finds its kernel by it. */
  sessionPath(framework: string): string {
    return `book/${this.page.page}.${framework}.ipynb`;
  }

  address(path: string): string {
    return `${this.settings.baseUrl}${path}`;
  }

  async get(path: string): Promise<any> {
    return (await this.ask(path, { method: "GET" })).json();
  }

  async post(path: string, body: object = {}): Promise<any> {
    const init = { method: "POST", body: JSON.stringify(body) };
    return (await this.ask(path, init)).json();
  }

  private async ask(path: string, init: RequestInit): Promise<Response> {
    const answer = await ServerConnection.makeRequest(
      this.address(path),
      init,
      this.settings,
    );
    if (!answer.ok) throw await ServerConnection.ResponseError.create(answer);
    return answer;
  }
}
