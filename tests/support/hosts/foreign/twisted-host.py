"""An SFTP server of Twisted Conch for one account: port, host key file, username, password."""
import sys

from twisted.conch.interfaces import IConchUser, ISFTPServer
from twisted.conch.ssh import factory, keys
from twisted.conch.unix import UnixConchUser, SFTPServerForUnixConchUser
from twisted.cred.checkers import InMemoryUsernamePasswordDatabaseDontUse
from twisted.cred.portal import IRealm, Portal
from twisted.internet import reactor
from twisted.python import components, filepath
from zope.interface import implementer

port, key_path, username, password = sys.argv[1:]
key = keys.Key.fromFile(key_path)


class User(UnixConchUser):
    # Version 22.4 expects a FilePath here, and returns a string.
    def getHomeDir(self):
        return filepath.FilePath(self.pwdData[5])


components.registerAdapter(SFTPServerForUnixConchUser, User, ISFTPServer)


@implementer(IRealm)
class Realm:
    def requestAvatar(self, name, mind, *interfaces):
        user = User(name.decode())
        return IConchUser, user, user.logout


class Factory(factory.SSHFactory):
    publicKeys = {b"ssh-ed25519": key.public()}
    privateKeys = {b"ssh-ed25519": key}

    def getPrimes(self):
        return None


people = InMemoryUsernamePasswordDatabaseDontUse()
people.addUser(username.encode(), password.encode())
Factory.portal = Portal(Realm(), [people])
reactor.listenTCP(int(port), Factory(), interface="127.0.0.1")
print("listening", flush=True)
reactor.run()
