package harness

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Authority issues the certificates of one control plane and of its webhook: ECDSA P-256, a day.
type Authority struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// KeyPair names the PEM files of a certificate and its key.
type KeyPair struct{ Cert, Key string }

// NewAuthority makes a certificate authority whose files lie in dir (ca.crt, ca.key).
func NewAuthority(dir string) (*Authority, error) {
	a := &Authority{dir: dir}
	template := certificate("tpu-admission-e2e")
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	var err error
	if a.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return nil, err
	}
	a.cert = template
	_, err = a.sign("ca", template, a.key)
	return a, err
}

// CertPath is the PEM file that clients trust.
func (a *Authority) CertPath() string { return filepath.Join(a.dir, "ca.crt") }

// KeyPath is the PEM file of its private key.
func (a *Authority) KeyPath() string { return filepath.Join(a.dir, "ca.key") }

// Issue makes a serving certificate for the DNS names and 127.0.0.1, in dir/name.{crt,key}.
func (a *Authority) Issue(name string, dnsNames ...string) (KeyPair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return KeyPair{}, err
	}
	template := certificate(name)
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	template.DNSNames = dnsNames
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	return a.sign(name, template, key)
}

// Issue makes a certificate for the names that the control plane's authority has signed, and names the
// authority's own file.
func (c *ControlPlane) Issue(name string, dnsNames ...string) (pair KeyPair, ca string, err error) {
	pair, err = c.authority.Issue(name, dnsNames...)
	return pair, c.authority.CertPath(), err
}

func (a *Authority) sign(name string, template *x509.Certificate, key *ecdsa.PrivateKey) (KeyPair, error) {
	pair := KeyPair{filepath.Join(a.dir, name+".crt"), filepath.Join(a.dir, name+".key")}
	cert, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	if err != nil {
		return pair, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return pair, err
	}
	if err := writePEM(pair.Cert, "CERTIFICATE", cert); err != nil {
		return pair, err
	}
	return pair, writePEM(pair.Key, "PRIVATE KEY", private)
}

func certificate(name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    time.Now().Add(-time.Minute),
		NotAfter:     time.Now().Add(24 * time.Hour),
	}
}

func writePEM(path, kind string, der []byte) error {
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}
