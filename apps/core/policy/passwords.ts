import { Fault, invalidField } from '../errors.ts';
import { passwordKeeperOf, type UserSource } from '../model/accounts/user-source.ts';

const MIN_LENGTH = 8;
const MAX_LENGTH = 256;

/** Only passwords that the gateway stores can be changed here. */
export function assertPasswordIsOurs(user: { readonly source: UserSource }): void {
  switch (passwordKeeperOf(user)) {
    case 'gateway':
      return;
    case 'directory':
    case 'provider':
      throw new Fault('directory_account');
  }
}

/** The rules for every new password. */
export function assertNewPassword(password: string, username: string, path = 'new_password'): void {
  const message = complaint(password, username);
  if (message) throw invalidField(path, message);
}

function complaint(password: string, username: string): string | undefined {
  const length = [...password].length;
  if (length < MIN_LENGTH) return `Password must have at least ${MIN_LENGTH} characters`;
  if (length > MAX_LENGTH) return `Password must have at most ${MAX_LENGTH} characters`;
  if (password.toLowerCase() === username.toLowerCase()) return 'Password must not be the username';
  if (COMMON.has(password.toLowerCase())) return 'Password is too common';
  return undefined;
}

/** The most common leaked passwords of at least 8 characters. */
const COMMON = new Set(
  `
    00000000 0123456789 01234567 0987654321 098765432 1029384756 10203040 11111111 1111111111 11112222 11223344
    1122334455 12121212 12123434 12341234 123123123 123123123123 1231231231 12344321 1234abcd 12345678 123456781
    123456789 1234567890 12345678910 1234567891 123456789a 12345678a 1234qwer 12345qwert 123qweasd 123qweasdzxc
    123456abc 123abc123 123456aa 12qwaszx 13131313 147258369 147852369 159357159 159753456 1a2b3c4d 1q2w3e4r
    1q2w3e4r5t 1q2w3e4r5t6y 1qaz1qaz 1qaz2wsx 1qaz2wsx3edc 1qazxsw2 20202020 21212121 22222222 22446688 23456789
    25802580 31415926 33333333 44444444 52525252 55555555 66666666 69696969 77777777 78945612 789456123 87654321
    88888888 963852741 987654321 9876543210 99999999 99887766 a1b2c3d4 a1234567 a12345678 a123456789 aa123456
    aa12345678 aaaaaaaa abc12345 abc123456 abc123abc abcd1234 abcd12345 abcdefgh abcdefg1 access14 adgjmptw admin123
    admin1234 admin12345 admin@123 adminadmin administrator alexander asdf1234 asdfasdf asdfghjk asdfghjkl asdfjkl1
    babygirl babygirl1 barcelona baseball baseball1 basketball bigdaddy blessed1 butterfly butterfly1 caroline
    changeit changeme changeme1 changeme123 charlie1 chocolate christian computer computer1 consumer corvette
    cowboys1 creative dallas123 danielle december default1 diamond1 dragon123 dragonball elephant elizabeth estrella
    february fernando firebird fishing1 flower123 fluffy123 football football1 forever1 freedom1 friends1 fuckyou1
    garfield godzilla greenday guest123 happy123 hardcore hellokitty helpdesk iloveyou iloveyou1 iloveyou2 infinity
    internet isabella jennifer jessica1 jonathan jordan23 katherine killer123 lakers24 lasvegas letmein1 letmein123
    letmein! liverpool liverpool1 logitech lollipop loveyou1 manchester marlboro master123 matthew1 maverick
    mercedes michael1 michelle microsoft midnight monkey123 motorola mountain mustang1 mypassword naruto123 newyork1
    nicholas nicole123 november openvpn1 p@$$w0rd p@55w0rd p@ssw0rd p@ssw0rd1 p@ssw0rd123 p@ssword pa$$w0rd pa55word
    pass1234 pass12345 passpass passw0rd passw0rd1 passwd123 password password! password. password0 password01
    password1 password1! password11 password12 password123 password1234 password2 password3 password99 patricia
    peanut123 playboy1 pokemon123 princess princess1 q1w2e3r4 q1w2e3r4t5 qawsedrf qazwsx123 qazwsxedc qqqqqqqq
    qwe12345 qwe123456 qweasdzxc qwer1234 qwert123 qwert1234 qwerty01 qwerty12 qwerty123 qwerty1234 qwerty12345
    qwerty123456 qwertyui qwertyuiop qwertyuiop1 qwertzui rainbow1 rangers1 raspberry realmadrid remember ronaldo7
    root1234 rootroot root12345 sallyport sallyport1 samantha samsung1 sandiego scooter1 secret123 security september
    server123 serenity shadow123 skywalker slipknot snickers snowball soccer123 spiderman starwars starwars1 stephanie
    sterling strawberry summer123 sunflower sunshine sunshine1 superman superman1 superstar support1 swordfish
    sysadmin sysadmin1 system123 taylor123 temp1234 tempest1 test1234 test12345 testing1 testing123 testtest thomas123
    thunder1 tinkerbell toyota123 trustno1 university unknown1 vagrant1 valentina veronica victoria victory1 volleyball
    welcome1 welcome12 welcome123 welcome2 whatever whatever1 william1 windows1 winter123 wordpass xxxxxxxx yankees1
    yamaha123 yourname zaq12wsx zaq1zaq1 zaqwsxcde zxcvbnm1 zxcvbnm123 zxcvbnm, zzzzzzzz
  `
    .trim()
    .split(/\s+/),
);
