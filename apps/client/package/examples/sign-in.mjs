// Signs in with a password, and again when the session has ended.
import { ClientError, createClient, take } from '@sallyport/client';

const {
  SALLYPORT_URL: base_url,
  SALLYPORT_USER: username = '',
  SALLYPORT_PASSWORD: password = '',
} = process.env;
let token;

async function signIn() {
  const login = createClient({ base_url }).http.POST('/api/auth/login', { body: { username, password } });
  token = (await take(login)).access_token;
  return token;
}

const client = createClient({ base_url, credentials: { token: () => token, refresh: signIn } });
try {
  await signIn();
  await client.http.POST('/api/auth/logout'); // as if the session had expired
  const { username: name } = await take(client.http.GET('/api/auth/me')); // refused, so it signs in and asks again
  console.log(`Signed in as ${name}`);
} catch (error) {
  if (!(error instanceof ClientError)) throw error;
  console.error(`${error.message} (${error.code}, request ${error.request_id})`);
  process.exitCode = 1;
}
