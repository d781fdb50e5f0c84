// An SSH host with one process for all shells: each prints a prompt and echoes. Prints its port; ends with its standard input.
import { generateKeyPairSync } from 'node:crypto';
import ssh2 from 'ssh2';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const hostKeys = [privateKey.export({ type: 'pkcs1', format: 'pem' })];

const server = new ssh2.Server({ hostKeys }, (client) => {
  client.on('authentication', (context) =>
    context.method === 'password' ? context.accept() : context.reject(['password']),
  );
  client.on('error', () => undefined);
  client.on('session', (accept) => {
    const session = accept();
    session.on('pty', (accepted) => accepted());
    session.on('window-change', (accepted) => accepted?.());
    session.on('shell', (accepted) => {
      const shell = accepted();
      shell.write('$ ');
      shell.pipe(shell);
    });
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.resume().on('end', () => process.exit(0));
