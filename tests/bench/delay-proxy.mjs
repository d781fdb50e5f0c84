// Forwards TCP connections with each byte delayed by some milliseconds, at any rate. Prints its port; ends with its standard input.
import { connect, createServer } from 'node:net';

const [target_port = '', delay = ''] = process.argv.slice(2);
const delay_ms = Number(delay);

function passLate(from, to) {
  const late = [];
  let is_waiting = false;
  const wait = (ms) => {
    is_waiting = true;
    setTimeout(flush, Math.max(1, ms));
  };
  const flush = () => {
    is_waiting = false;
    const now = performance.now();
    let due = 0;
    while (due < late.length && late[due].at_ms <= now) due += 1;
    to.cork();
    for (const { chunk } of late.splice(0, due)) {
      if (chunk) to.write(chunk);
      else to.end();
    }
    to.uncork();
    if (late.length > 0) wait(late[0].at_ms - performance.now());
  };
  const push = (chunk) => {
    late.push({ chunk, at_ms: performance.now() + delay_ms });
    if (!is_waiting) wait(delay_ms);
  };
  from.on('data', push);
  from.on('end', () => push(undefined));
  from.on('error', () => to.destroy());
  from.on('close', () => push(undefined));
}

const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
  const far = connect({ port: Number(target_port), host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  passLate(near, far);
  passLate(far, near);
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.resume().on('end', () => process.exit(0));
