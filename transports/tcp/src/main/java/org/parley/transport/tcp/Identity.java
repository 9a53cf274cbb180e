package org.parley.transport.tcp;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.parley.transport.TransportException;

/**
 * What a rank encrypts with: a key of its own, made when it starts and never written anywhere, and a
 * certificate that nobody has to believe by itself. Whose it is follows from the greeting, in which the
 * holder of the job's secret vouches for the certificate's {@link #fingerprint}. Names and dates in it
 * mean nothing, so clocks need not agree.
 */
final class Identity {
    private static final String PROTOCOL = "TLSv1.3";
    private static final String KEY_TYPE = "EC";

    // Tags of DER (X.690), and identifiers.
    private static final int INTEGER = 0x02;
    private static final int BIT_STRING = 0x03;
    private static final int UTF8_STRING = 0x0c;
    private static final int UTC_TIME = 0x17;
    private static final int GENERALIZED_TIME = 0x18;
    private static final int SEQUENCE = 0x30;
    private static final int SET = 0x31;
    private static final byte[] ECDSA_WITH_SHA256 = {0x06, 8, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 4, 3, 2};
    private static final byte[] COMMON_NAME = {0x06, 3, 0x55, 4, 3};

    private final PrivateKey key;
    private final X509Certificate certificate;
    private final byte[] fingerprint;

    private Identity(final PrivateKey key, final X509Certificate certificate) throws GeneralSecurityException {
        this.key = key;
        this.certificate = certificate;
        this.fingerprint = fingerprint(certificate);
    }

    /** Makes one for a rank. */
    static Identity create(final int rank) {
        try {
            final KeyPairGenerator generator = KeyPairGenerator.getInstance(KEY_TYPE);
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            final KeyPair keys = generator.generateKeyPair();
            return new Identity(keys.getPrivate(), certificate(keys, "parley rank " + rank));
        } catch (final GeneralSecurityException e) {
            throw cannot(e);
        }
    }

    private static TransportException cannot(final GeneralSecurityException e) {
        return new TransportException(
                "tcp",
                "this JDK cannot encrypt (" + e.getMessage() + "): " + PROTOCOL
                        + " with a key on secp256r1 is needed; another JDK, or tcp.tls=false",
                e);
    }

    /** Returns SHA-256 of the certificate. */
    byte[] fingerprint() {
        return fingerprint.clone();
    }

    private static byte[] fingerprint(final X509Certificate certificate) throws GeneralSecurityException {
        return MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded());
    }

    /**
     * Returns one end of TLS on one connection.
     *
     * @param isCaller which end
     * @param peer fingerprint of the only certificate that the other end may have
     */
    SSLEngine engine(final boolean isCaller, final byte[] peer) {
        final SSLEngine engine = context(peer).createSSLEngine();
        engine.setUseClientMode(isCaller);
        engine.setEnabledProtocols(new String[] {PROTOCOL});
        engine.setNeedClientAuth(!isCaller);
        return engine;
    }

    /** Returns one for each connection: it trusts one peer, and resumes nothing. */
    SSLContext context(final byte[] peer) {
        try {
            final SSLContext context = SSLContext.getInstance(PROTOCOL);
            context.init(new KeyManager[] {new Keys()}, new TrustManager[] {new Pinned(peer)}, null);
            return context;
        } catch (final GeneralSecurityException e) {
            throw cannot(e);
        }
    }

    // --- the certificate: RFC 5280, version 1, signed by its own key -------------------------------------

    private static X509Certificate certificate(final KeyPair keys, final String name) throws GeneralSecurityException {
        final byte[] algorithm = der(SEQUENCE, ECDSA_WITH_SHA256);
        final byte[] names = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8_STRING, ascii(name)))));
        final byte[] content = der(
                SEQUENCE,
                der(INTEGER, new byte[] {1}),
                algorithm,
                names,
                der(SEQUENCE, der(UTC_TIME, ascii("700101000000Z")), der(GENERALIZED_TIME, ascii("99991231235959Z"))),
                names,
                keys.getPublic().getEncoded());
        final Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(keys.getPrivate());
        signature.update(content);
        final byte[] encoded = der(SEQUENCE, content, algorithm, der(BIT_STRING, new byte[] {0}, signature.sign()));
        return (X509Certificate)
                CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(encoded));
    }

    private static byte[] ascii(final String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns a value with its tag and length; everything here is shorter than 64 KiB. */
    private static byte[] der(final int tag, final byte[]... parts) {
        final ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (final byte[] part : parts) {
            content.writeBytes(part);
        }
        final int length = content.size();
        final ByteArrayOutputStream value = new ByteArrayOutputStream();
        value.write(tag);
        if (length > 0xff) {
            value.write(0x82);
            value.write(length >> 8);
        } else if (length > 0x7f) {
            value.write(0x81);
        }
        value.write(length);
        value.writeBytes(content.toByteArray());
        return value.toByteArray();
    }

    /** Believes one certificate. */
    private static final class Pinned extends X509ExtendedTrustManager {
        private final byte[] expected;

        Pinned(final byte[] expected) {
            this.expected = expected;
        }

        private void check(final X509Certificate[] chain) throws CertificateException {
            try {
                if (chain.length == 0 || !MessageDigest.isEqual(expected, Identity.fingerprint(chain[0]))) {
                    throw new CertificateException(
                            "its certificate is not the one that it has proven: somebody is in between");
                }
            } catch (final GeneralSecurityException e) {
                throw e instanceof CertificateException certain ? certain : new CertificateException(e);
            }
        }

        @Override
        public void checkClientTrusted(final X509Certificate[] chain, final String type) throws CertificateException {
            check(chain);
        }

        @Override
        public void checkServerTrusted(final X509Certificate[] chain, final String type) throws CertificateException {
            check(chain);
        }

        @Override
        public void checkClientTrusted(final X509Certificate[] chain, final String type, final Socket socket)
                throws CertificateException {
            check(chain);
        }

        @Override
        public void checkServerTrusted(final X509Certificate[] chain, final String type, final Socket socket)
                throws CertificateException {
            check(chain);
        }

        @Override
        public void checkClientTrusted(final X509Certificate[] chain, final String type, final SSLEngine engine)
                throws CertificateException {
            check(chain);
        }

        @Override
        public void checkServerTrusted(final X509Certificate[] chain, final String type, final SSLEngine engine)
                throws CertificateException {
            check(chain);
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    /** Has one key. */
    private final class Keys extends X509ExtendedKeyManager {
        private static final String ALIAS = "rank";

        private static String alias(final String... keyTypes) {
            for (final String type : keyTypes) {
                if (KEY_TYPE.equals(type)) {
                    return ALIAS;
                }
            }
            return null;
        }

        @Override
        public String chooseEngineClientAlias(
                final String[] keyTypes, final Principal[] issuers, final SSLEngine engine) {
            return alias(keyTypes);
        }

        @Override
        public String chooseEngineServerAlias(final String keyType, final Principal[] issuers, final SSLEngine engine) {
            return alias(keyType);
        }

        @Override
        public String chooseClientAlias(final String[] keyTypes, final Principal[] issuers, final Socket socket) {
            return alias(keyTypes);
        }

        @Override
        public String chooseServerAlias(final String keyType, final Principal[] issuers, final Socket socket) {
            return alias(keyType);
        }

        @Override
        public String[] getClientAliases(final String keyType, final Principal[] issuers) {
            return new String[] {ALIAS};
        }

        @Override
        public String[] getServerAliases(final String keyType, final Principal[] issuers) {
            return new String[] {ALIAS};
        }

        @Override
        public X509Certificate[] getCertificateChain(final String alias) {
            return new X509Certificate[] {certificate};
        }

        @Override
        public PrivateKey getPrivateKey(final String alias) {
            return key;
        }
    }
}
