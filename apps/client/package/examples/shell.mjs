// An interactive shell: node shell.mjs <server id>
import { createClient, TerminalLink } from '@sallyport/client';
import { WebSocket } from 'ws'; // not needed from Node.js 22 on

const { SALLYPORT_URL: base_url, SALLYPORT_KEY: credentials } = process.env;
const { stdin, stdout } = process;
const size = () => ({ cols: stdout.columns ?? 80, rows: stdout.rows ?? 24 });
const ENDINGS = {
  lost: 'The terminal has ended with its gateway, or after a long time without a connection',
  unreachable: 'Cannot reach the gateway',
};
let is_lost = false;

const link = new TerminalLink({
  client: createClient({ base_url, credentials, WebSocket }),
  target: { kind: 'server', server_id: Number(process.argv[2]) },
  size: size(),
  events: {
    // Without acknowledgements the gateway pauses the host after 1 MiB.
    output: (bytes) => void stdout.write(bytes, () => link.parsed(bytes.length)),
    prompt: (prompt) => prompt && console.error('The server asks for input; use the page'),
    state(state) {
      if (state.kind === 'reconnecting' && !is_lost) console.error('\r\nConnection lost, reconnecting…\r');
      is_lost = state.kind === 'reconnecting';
      if (state.kind === 'over') finish(state.ending);
    },
  },
});

stdin.setRawMode?.(true);
stdin.on('data', (bytes) => link.input(bytes));
stdin.on('end', () => link.input('\x04'));
stdout.on('resize', () => link.resize(size()));

function finish(ending) {
  stdin.setRawMode?.(false);
  stdin.destroy();
  if (ending.kind !== 'exit') console.error(`\r\n${ending.error?.message ?? ENDINGS[ending.kind]}`);
  process.exitCode = ending.kind === 'exit' ? (ending.code ?? 1) : 1;
}
