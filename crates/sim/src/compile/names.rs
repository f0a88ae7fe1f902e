//! Names in a scenario, and what transport and network call the same.

use crate::spec::{
    AdmissionName, HandshakeName, RateCodesName, ReadingName, RecoveryName, RestartName,
    SharingName,
};
use flowstart_control::RateCodes;
use flowstart_network::queue::BufferReading;
use flowstart_network::quick_start::Admission;
use flowstart_transport::handshake::Handshake;
use flowstart_transport::stack::{RecoveryKind, Restart, Sharing};

/// Two enums that say the same, one to the other and back.
macro_rules! same {
    ($name:ident = $value:ident { $($from:ident = $to:ident),* $(,)? }) => {
        impl From<$name> for $value {
            fn from(name: $name) -> $value {
                match name {
                    $($name::$from => $value::$to,)*
                }
            }
        }

        impl From<$value> for $name {
            fn from(value: $value) -> $name {
                match value {
                    $($value::$to => $name::$from,)*
                }
            }
        }
    };
}

same!(AdmissionName = Admission {
    None = Ignorant,
    Rfc = Rfc,
    Share = Share,
    Minimal = Minimal,
    Target = Target,
    Everything = Everything,
});

same!(ReadingName = BufferReading {
    Ns2 = Ns2,
    Linux = Linux,
});

same!(HandshakeName = Handshake {
    OneRtt = OneRtt,
    ZeroRtt = ZeroRtt,
    TcpTls13 = TcpTls13,
});

same!(RecoveryName = RecoveryKind {
    GoBackN = GoBackN,
    Tahoe = Tahoe,
    Reno = Reno,
    Newreno = NewReno,
    Sack = Sack,
    Ns2Sack = Ns2Sack,
    Rack = Rack,
    Quic = Quic,
});

same!(RestartName = Restart {
    InitialWindow = InitialWindow,
    One = One,
    Keep = Keep,
});

same!(RateCodesName = RateCodes {
    Powers = Powers,
    Linear = Linear,
});

same!(SharingName = Sharing {
    None = None,
    Remember = Remember,
    Temporal = Temporal,
    Ensemble = Ensemble,
});
