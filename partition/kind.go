package partition

// Kind says what went wrong: whose fault it is is its [Kind.Scope].
type Kind string

// The kinds of errors.
const (
	KindBadDocument     Kind = "bad_document"     // damaged, encrypted, empty
	KindUnsupportedType Kind = "unsupported_type" // the server does not read such files
	KindTooLarge        Kind = "too_large"        // more bytes or pages than the server or a limit of the client allows
	KindBadRequest      Kind = "bad_request"      // a parameter, or the URL
	KindAuth            Kind = "auth"             // the key is missing or refused
	KindQuota           Kind = "quota"            // the account's quota is exhausted
	KindBudget          Kind = "budget"           // a spending limit of the caller's is reached
	KindThrottled       Kind = "throttled"        // the server wants fewer requests
	KindServer          Kind = "server"           // the server failed
	KindBadResponse     Kind = "bad_response"     // an answer that cannot be read
	KindTimeout         Kind = "timeout"          // a limit of time passed
	KindTransport       Kind = "transport"        // no answer came
	KindLocalIO         Kind = "local_io"         // a file of this machine cannot be read or written
	KindCanceled        Kind = "canceled"         // the caller ended it
)

// Scope says whose fault a failure is, and so what else fails with it.
type Scope string

// The scopes of failures.
const (
	ScopeDocument Scope = "document" // this document fails everywhere, others do not
	ScopeRequest  Scope = "request"  // every document fails that is sent with the same parameters
	ScopeAccount  Scope = "account"  // everything fails that is sent with the same key
	ScopeServer   Scope = "server"   // the server, or the way to it
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
	KindTooLarge:        {ScopeDocument, false},
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

// Scope returns whose fault an error of this kind is; "" of an unknown kind.
func (k Kind) Scope() Scope { return kinds[k].scope }

// Transient reports whether the same request may be answered at another time. [APIError.Transient]
// knows more.
func (k Kind) Transient() bool { return kinds[k].transient }
