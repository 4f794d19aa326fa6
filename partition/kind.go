package partition

// Kind says what went wrong. [Kind.Scope] says what else is affected.
type Kind string

// The kinds of errors.
const (
	KindBadDocument     Kind = "bad_document"     // damaged, encrypted, a file without bytes
	KindUnsupportedType Kind = "unsupported_type" // the server does not read such files
	KindEmpty           Kind = "empty"            // answered without any text or image: see [Params.FailEmpty]
	KindTooLarge        Kind = "too_large"        // more bytes or pages than the server or a limit of the client allows
	KindBadRequest      Kind = "bad_request"      // a parameter, or the URL
	KindAuth            Kind = "auth"             // the key is missing or refused
	KindQuota           Kind = "quota"            // the account's quota is exhausted
	KindBudget          Kind = "budget"           // a limit set by the caller is reached
	KindThrottled       Kind = "throttled"        // the server wants fewer requests
	KindServer          Kind = "server"           // the server failed
	KindBadResponse     Kind = "bad_response"     // an answer that cannot be read
	KindTimeout         Kind = "timeout"          // a limit of time passed
	KindTransport       Kind = "transport"        // no answer came, or it broke off
	KindChanged         Kind = "changed"          // its file was changed while it was sent
	KindLocalIO         Kind = "local_io"         // a file of this machine cannot be read or written
	KindCanceled        Kind = "canceled"         // the caller canceled it
)

// Scope says what caused a failure, and so what else will fail.
type Scope string

// The scopes of failures.
const (
	ScopeDocument Scope = "document" // only this document fails
	ScopeRequest  Scope = "request"  // every document sent with the same parameters fails
	ScopeAccount  Scope = "account"  // every request with the same key fails
	ScopeServer   Scope = "server"   // the server, or the network on the way to it
	ScopeLocal    Scope = "local"    // this machine, or a decision of the caller
)

// kinds is the table of what a kind says: whose fault it is, and whether the same request may work
// at another time.
var kinds = map[Kind]struct {
	scope     Scope
	transient bool
}{
	KindBadDocument:     {ScopeDocument, false},
	KindUnsupportedType: {ScopeDocument, false},
	KindEmpty:           {ScopeDocument, false},
	KindTooLarge:        {ScopeDocument, false},
	KindChanged:         {ScopeDocument, true},
	KindBadRequest:      {ScopeRequest, false},
	KindAuth:            {ScopeAccount, false},
	KindQuota:           {ScopeAccount, false},
	KindThrottled:       {ScopeServer, true},
	KindServer:          {ScopeServer, true},
	KindTimeout:         {ScopeServer, true},
	KindTransport:       {ScopeServer, true},
	KindBadResponse:     {ScopeServer, false},
	KindBudget:          {ScopeLocal, false},
	KindLocalIO:         {ScopeLocal, false},
	KindCanceled:        {ScopeLocal, false},
}

// Scope returns the scope of errors of this kind; "" for an unknown kind.
func (k Kind) Scope() Scope { return kinds[k].scope }

// Transient reports whether the same request may succeed later. [APIError.Transient] knows more: an
// error that the server declared final is not transient.
func (k Kind) Transient() bool { return kinds[k].transient }
