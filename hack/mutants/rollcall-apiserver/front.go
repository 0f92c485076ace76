package main

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"k8s.io/client-go/util/cert"

	"github.com/rollcall-conformance/rollcall/framework/process"
	"github.com/rollcall-conformance/rollcall/hack/mutants/wrongapi"
)

// front takes the place of a kube-apiserver: its address, its certificate, and whom it believes by theirs. It passes on who asks as an authenticating proxy
// does.
type front struct {
	// folder is for the front's own files, among those of the control plane.
	folder  string
	address string
	tls     *tls.Config
	// argsBehind are the arguments of the kube-apiserver that it stands before, behind its address.
	argsBehind []string
	behind     *url.URL
	// vouching and anonymous reach that one: as the proxy that it believes, and as nobody, for requests whose token or lack of one says who asks.
	vouching, anonymous http.RoundTripper
}

// newFront reads the arguments of a kube-apiserver.
func newFront(args []string) (*front, error) {
	certificates, host, clients := valueOf(args, "cert-dir"), valueOf(args, "bind-address"), valueOf(args, "client-ca-file")
	if certificates == "" || host == "" || clients == "" {
		return nil, errors.New("the arguments of kube-apiserver need --cert-dir, --bind-address and --client-ca-file")
	}
	f := &front{folder: filepath.Join(certificates, "front"), address: net.JoinHostPort(host, valueOf(args, "secure-port"))}
	if err := os.MkdirAll(f.folder, 0o700); err != nil {
		return nil, err
	}
	known, err := cert.NewPool(clients)
	if err != nil {
		return nil, fmt.Errorf("read whose certificates to believe: %w", err)
	}
	own, err := tls.LoadX509KeyPair(filepath.Join(certificates, "apiserver.crt"), filepath.Join(certificates, "apiserver.key"))
	if err != nil {
		return nil, fmt.Errorf("read the API server's certificate: %w", err)
	}
	f.tls = &tls.Config{Certificates: []tls.Certificate{own}, ClientCAs: known, ClientAuth: tls.VerifyClientCertIfGiven, MinVersion: tls.VersionTLS12}
	identity, authority, err := f.identify()
	if err != nil {
		return nil, err
	}
	port, err := process.FreePort()
	if err != nil {
		return nil, err
	}
	f.behind = &url.URL{Scheme: "https", Host: net.JoinHostPort(host, strconv.Itoa(port))}
	f.vouching, f.anonymous = transport(identity), transport()
	f.argsBehind = append(slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return strings.HasPrefix(arg, "--secure-port=") }),
		"--secure-port="+strconv.Itoa(port), "--requestheader-client-ca-file="+authority,
		"--requestheader-username-headers="+userHeader, "--requestheader-group-headers="+groupHeader)
	return f, nil
}

// valueOf returns the value of a flag, or nothing.
func valueOf(args []string, name string) string {
	for _, arg := range args {
		if value, found := strings.CutPrefix(arg, "--"+name+"="); found {
			return value
		}
	}
	return ""
}

// identify makes a certificate that is its own authority, and returns it and the file with that.
func (f *front) identify() (tls.Certificate, string, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return tls.Certificate{}, "", err
	}
	certificate, err := cert.NewSelfSignedCACert(cert.Config{CommonName: "rollcall-apiserver"}, key)
	if err != nil {
		return tls.Certificate{}, "", fmt.Errorf("make a certificate: %w", err)
	}
	encoded, err := cert.EncodeCertificates(certificate)
	if err != nil {
		return tls.Certificate{}, "", err
	}
	path := filepath.Join(f.folder, "authority.crt")
	return tls.Certificate{Certificate: [][]byte{certificate.Raw}, PrivateKey: key}, path, os.WriteFile(path, encoded, 0o600)
}

// idleConnections are kept for the next requests: they have one each, since one that is refused before it was read must not hold up others.
const idleConnections = 100

// transport reaches the API server behind, on this machine, which the front started itself.
func transport(identities ...tls.Certificate) http.RoundTripper {
	return &http.Transport{MaxIdleConnsPerHost: idleConnections, TLSClientConfig: &tls.Config{InsecureSkipVerify: true, Certificates: identities}}
}

// The headers by which the front says who asks.
const (
	userHeader  = "X-Remote-User"
	groupHeader = "X-Remote-Group"
)

// handler is the API server with the fault. It reads requests whole before it passes them on: what is refused unread would never be answered to the end.
func (f *front) handler(fault wrongapi.Fault) http.Handler {
	api := fault.Around(&httputil.ReverseProxy{Rewrite: f.rewrite, Transport: f, FlushInterval: -1})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") == "" {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		}
		api.ServeHTTP(w, r)
	})
}

func (f *front) rewrite(r *httputil.ProxyRequest) {
	r.SetURL(f.behind)
	r.Out.Header.Del(userHeader)
	r.Out.Header.Del(groupHeader)
	if client := subject(r.In.TLS); client != nil {
		r.Out.Header.Set(userHeader, client.Subject.CommonName)
		r.Out.Header[groupHeader] = client.Subject.Organization
	}
}

// RoundTrip implements http.RoundTripper.
func (f *front) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Header.Get(userHeader) != "" {
		return f.vouching.RoundTrip(r)
	}
	return f.anonymous.RoundTrip(r)
}

// subject is the verified certificate of who asks, or nil.
func subject(state *tls.ConnectionState) *x509.Certificate {
	if state == nil || len(state.VerifiedChains) == 0 {
		return nil
	}
	return state.VerifiedChains[0][0]
}
