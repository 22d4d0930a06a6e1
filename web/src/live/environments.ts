/* Sees to it that a framework's environment is there. */
import type { Server } from "./server";
import { GONE, Trouble } from "./trouble";

const PATH = "book-live/environments";

interface Progress {
  state: "ready" | "absent" | "creating" | "failed";
  line: string;
}

/* Returns once the environment is ready; reports each line of its making. */
export async function prepareEnvironment(
  server: Server,
  framework: string,
  report: (line: string) => void,
): Promise<void> {
  const { state } = (await server.get(PATH))[framework];
  if (state === "ready") return;
  report("making its environment");
  if (state !== "creating") await server.post(`${PATH}/${framework}`);
  await follow(server.address(`${PATH}/${framework}/progress`), framework, report);
}

function follow(
  address: string,
  framework: string,
  report: (line: string) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const events = new EventSource(address);
    const end = (act: () => void) => {
      events.close();
      act();
    };
    events.onmessage = (event) => {
      const { state, line }: Progress = JSON.parse(event.data);
      if (state === "ready") end(resolve);
      else if (state === "failed") end(() => reject(new Trouble(failure(framework, line))));
      else report(line);
    };
    events.onerror = () => end(() => reject(new Trouble(GONE)));
  });
}

function failure(framework: string, line: string): string {
  const command = `d2l-support kernels --create --framework ${framework}`;
  return `The environment cannot be made: ${line}. In a terminal: ${command}`;
}
