// Opens `count` idle connections to `port` from several addresses. Arguments: `port count`.
import { connect } from 'node:net';

const [port, count] = process.argv.slice(2).map(Number);
const OF_ONE_ADDRESS = 2000;
const AT_ONCE = 200;

let begun = 0;
let open = 0;

function begin() {
  if (begun === count) return;
  const localAddress = `127.0.0.${2 + Math.floor(begun / OF_ONE_ADDRESS)}`;
  begun += 1;
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => undefined);
  socket.once('connect', () => {
    open += 1;
    if (open === count) console.log('open');
    begin();
  });
}

for (let i = 0; i < AT_ONCE; i += 1) begin();
