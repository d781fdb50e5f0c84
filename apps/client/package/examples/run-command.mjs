// Runs a command and prints its output: node run-command.mjs <server id> <command>
import { createClient, TerminalLink } from '@sallyport/client';
import { WebSocket } from 'ws'; // not needed from Node.js 22 on

const { SALLYPORT_URL: base_url, SALLYPORT_KEY: credentials } = process.env;
const [server_id, command] = process.argv.slice(2);

/** The shell echoes what it is sent, so the output begins after a mark that the command line itself does not contain. */
function runCommand({ client, server_id, command }) {
  const mark = `begin-${crypto.randomUUID()}`;
  const quoted = command.replaceAll("'", `'\\''`);
  const line = `exec sh -c 'stty -onlcr; echo "${mark.slice(0, 5)}""${mark.slice(5)}"; ${quoted}'\n`;
  return new Promise((resolve, reject) => {
    const decoder = new TextDecoder();
    let output = '';
    const link = new TerminalLink({
      client,
      target: { kind: 'server', server_id },
      size: { cols: 1000, rows: 50 },
      events: {
        output(bytes) {
          output += decoder.decode(bytes, { stream: true });
          link.parsed(bytes.length);
        },
        prompt() {
          link.close();
          reject(new Error('The server asks for input; use the page'));
        },
        state(state) {
          if (state.kind !== 'over') return;
          const { ending } = state;
          if (ending.kind !== 'exit')
            return reject(new Error('error' in ending ? ending.error.message : ending.kind));
          resolve({ code: ending.code, output: output.split(`${mark}\n`)[1] ?? '' });
        },
      },
    });
    link.input(line);
  });
}

const client = createClient({ base_url, credentials, WebSocket });
const { code, output } = await runCommand({ client, server_id: Number(server_id), command });
process.stdout.write(output);
process.exitCode = code ?? 1;
