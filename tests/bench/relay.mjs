// Forwards TCP connections without looking at them: what any further process costs. Prints its port; ends with its standard input.
import { connect, createServer } from 'node:net';

const [target_port = ''] = process.argv.slice(2);

function pass(from, to) {
  from.on('data', (chunk) => to.write(chunk));
  from.on('error', () => to.destroy());
  from.on('close', () => to.destroy());
}

const server = createServer({ noDelay: true }, (near) => {
  const far = connect({ port: Number(target_port), host: '127.0.0.1', noDelay: true });
  pass(near, far);
  pass(far, near);
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.resume().on('end', () => process.exit());
