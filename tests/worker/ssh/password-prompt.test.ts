import { describe, expect, it } from 'vitest';
import { asksForPassword } from '#worker/ssh/auth/password-prompt.ts';

const NAMES = ['deploy', 'code-server.example.com', 'Token box'];
const isForPassword = (prompt: string, about = '', names = NAMES) =>
  asksForPassword({ prompt, about, names });

const FOR_THE_PASSWORD = [
  'Password: ',
  'Password:',
  'password',
  'PASSWORD: ',
  'Ops password: ',
  'UNIX password: ',
  'Kerberos 5 Password: ',
  'LDAP Password: ',
  'Active Directory password for EXAMPLE\\deploy: ',
  "user@host's password: ",
  "deploy@code-server's password: ",
  "pin@10.0.0.1's password: ",
  'Password for user@REALM: ',
  'Password for deploy: ',
  'Password for otp-admin@fe80::1: ',
  '(user@10.0.0.1) Password: ',
  '(codebot@new-host.example.com) Password: ',
  '[sudo] password for deploy: ',
  'Password for code-server.example.com: ',
  'Token box password: ',
  'Please enter your password: ',
  'Enter passphrase: ',
  'Pass:',
  'Your password will expire in 3 days.\nPassword: ',
  'There were 2 failed login attempts since the last successful login.\nPassword: ',
  'Passwort: ',
  'Passwort für deploy: ',
  'Kennwort: ',
  'Ihr Domänenkennwort: ',
  'Contraseña: ',
  'Contraseña para deploy: ',
  'Mot de passe : ',
  'Mot de passe UNIX : ',
  'Senha: ',
  'Palavra-passe: ',
  'Password di deploy: ',
  'Wachtwoord: ',
  'Gebruikerswachtwoord: ',
  'Пароль: ',
  'Введите пароль: ',
  'Hasło: ',
  '密码：',
  '密码: ',
  '密碼：',
  '用户密码：',
  '请输入口令：',
  'パスワード：',
  'ﾊﾟｽﾜｰﾄﾞ:',
  'deploy のパスワード：',
  '암호: ',
  '비밀번호：',
  'Ｐａｓｓｗｏｒｄ：',
  'Lösenord: ',
  'Adgangskode: ',
  'Heslo: ',
  'Parola: ',
  'Κωδικός πρόσβασης: ',
  'Digite sua senha: ',
  'รหัสผ่าน: ',
  'Mật khẩu: ',
];

const FOR_SOMETHING_ELSE = [
  // Google Authenticator, OATH, SecurID, Yubikey, Duo, Okta, FreeIPA, S/Key
  'Verification code: ',
  'Password & verification code: ',
  "One-time password (OATH) for `deploy': ",
  'One-time password: ',
  'Enter PASSCODE: ',
  'Enter PIN: ',
  'Enter your new PIN, containing 4 to 8 digits: ',
  'Wait for token to change,\nthen enter the new tokencode: ',
  "Yubikey for `deploy': ",
  'YubiKey OTP: ',
  'Passcode or option (1-1): ',
  'Duo two-factor login for deploy\n\nEnter a passcode or select one of the following options:\n\n 1. Duo Push to XXX-XXX-1234\n 2. Phone call\n\nPasscode or option (1-2): ',
  "Enter a passcode or 'push': ",
  'Okta Verify code: ',
  'First Factor: ',
  'First Factor (password): ',
  'Second Factor: ',
  'Second Factor (optional): ',
  'Second factor: ',
  'OTP: ',
  'Token: ',
  'PIN: ',
  'Code: ',
  'Password or OTP: ',
  'Password and token: ',
  'Password followed by your PIN: ',
  'otp-md5 499 ke1234 ext\nPassword: ',
  's/key 98 wi14321\nPassword: ',
  'Enter the code from the text message.\nPassword: ',
  'Enter PASSCODE in place of the password: ',
  'Password and the 6 digits of your app: ',
  'Please enter your password followed by your 6-digit number: ',
  'Passwort und die 6 Ziffern der App: ',
  'Mot de passe suivi des 6 chiffres: ',
  'Response: ',
  'Are you sure you want to log in? (yes/no) ',
  'Guest login ok, send your complete e-mail address as password.',
  'SMS password: ',
  'Temporary password: ',
  // changes of the password
  'New password: ',
  'Enter new UNIX password: ',
  'Retype new password: ',
  'Re-enter password: ',
  'Password again: ',
  'Confirm password: ',
  '(current) UNIX password: ',
  'Current Password: ',
  'Old password: ',
  'Your password has expired.\nPassword: ',
  'You must change your password now. Password: ',
  'Neues Passwort: ',
  'Geben Sie das neue Passwort ein: ',
  'Geben Sie das neue Passwort erneut ein: ',
  'Passwort bestätigen: ',
  'Aktuelles Passwort: ',
  'Nueva contraseña: ',
  'Vuelva a escribir la nueva contraseña: ',
  'Nouveau mot de passe : ',
  'Retapez le mot de passe : ',
  'Nova senha: ',
  'Redigite a senha: ',
  'Nuova password: ',
  'Reimmettere la nuova password: ',
  'Nieuw wachtwoord: ',
  'Новый пароль: ',
  'Повторите пароль: ',
  'Nowe hasło: ',
  'Powtórz hasło: ',
  '新密码：',
  '新的密码：',
  '重新输入密码：',
  '新しいパスワード：',
  'パスワードを再入力：',
  '새 암호: ',
  '비밀번호 확인: ',
  // codes in other languages
  'Bestätigungscode: ',
  'Einmalpasswort: ',
  'Einmal-Passwort: ',
  'TAN: ',
  'Código de verificación: ',
  'Contraseña de un solo uso: ',
  'Code de vérification : ',
  'Mot de passe à usage unique : ',
  'Senha de uso único: ',
  'Password monouso: ',
  'Eenmalig wachtwoord: ',
  'Одноразовый пароль: ',
  'Код подтверждения: ',
  'Hasło jednorazowe: ',
  '验证码：',
  '动态密码：',
  '动态口令：',
  '短信密码：',
  '一次性密碼：',
  'ワンタイムパスワード：',
  '確認コード：',
  '暗証番号：',
  '인증번호: ',
  '일회용 비밀번호: ',
  // no word for a password
  '',
  ': ',
  'Favorite color: ',
  'login: ',
  'Nytt lösenord: ',
  'Nové heslo: ',
  'Yeni şifre: ',
];

describe('A prompt', () => {
  it.each(FOR_THE_PASSWORD)('is answered with the stored password when it says %j', (prompt) => {
    expect(isForPassword(prompt)).toBe(true);
  });

  it.each(FOR_SOMETHING_ELSE)('goes to the person when it says %j', (prompt) => {
    expect(isForPassword(prompt)).toBe(false);
  });

  it.each([
    'Enter the one-time password from your app',
    'RSA SecurID authentication',
    'Duo two-factor login',
    'You are required to change your password immediately.',
    'Ihr Einmalkennwort finden Sie in der App',
    '请输入动态口令',
  ])('for a password goes to the person under the instructions %j', (about) => {
    expect(isForPassword('Password: ', about)).toBe(false);
  });

  it.each([
    'Password Authentication',
    'Users must follow the code of conduct. New users: read the rules that change each year.',
  ])('for a password is answered under the notice %j', (about) => {
    expect(isForPassword('Password: ', about)).toBe(true);
  });

  it('for a password is answered below a long notice', () => {
    const notice = 'Use of this system is monitored.\n'.repeat(500);
    expect(isForPassword(`${notice}Password: `)).toBe(true);
    expect(isForPassword('Password: ', notice)).toBe(true);
  });

  it.each(['PIN', 'OTP', 'New', 'Code', 'Token'])('for a %s goes to a person with that name', (name) => {
    expect(isForPassword(`${name}: `, '', [name.toLowerCase()])).toBe(false);
    expect(isForPassword(`${name} password: `, '', [name.toLowerCase()])).toBe(false);
  });
});
